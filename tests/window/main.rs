//! The real window, under Xvfb, through WebKitWebDriver: starts, shows a prepared HOME, toggles, follows an edit; files are edited in it.
//!
//! Needs a display (xtask starts Xvfb), `WebKitWebDriver` and the built `jackfield-desktop`; without them it says what
//! is missing and skips, but never where CI is set.

#![expect(clippy::disallowed_methods, reason = "tests start programs and write files of their own")]
#![expect(clippy::expect_used, reason = "a test that cannot prepare itself has failed")]
#![expect(clippy::print_stderr, reason = "a skipped test has to say so")]

mod app;
mod editing;
mod prepared;
mod scenario;
