//! What the code promises about itself and no compiler checks.
#![expect(clippy::disallowed_methods, reason = "a test reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "what fails in a test's helper is a failed test")]

mod codes;
mod files;
mod layers;
mod shell;
mod tree;
