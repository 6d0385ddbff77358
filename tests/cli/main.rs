//! The program as a user runs it: arguments in, text, files and exit codes out.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files and starts its own processes")]
#![expect(clippy::unwrap_used, reason = "what fails in a test's helper is a failed test")]

mod call;
mod changes;
mod edit;
mod files;
mod listing;
mod processes;
mod registry;
mod secrets;
#[path = "../fakes/registry.rs"]
#[allow(dead_code, reason = "each test program needs a part of it")]
mod fake_registry;
#[path = "../support.rs"]
#[allow(dead_code, reason = "each test program needs a part of it")]
mod support;
mod testing;
mod trust;
