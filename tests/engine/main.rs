//! The engine as a program uses it, over servers that behave and servers that do not.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files and starts its own processes")]
#![expect(clippy::unwrap_used, reason = "what fails in a test's helper is a failed test")]

mod change;
#[path = "../fakes/registry.rs"]
#[allow(dead_code, reason = "each test program needs a part of it")]
mod fake_registry;
mod gather;
mod lazy;
mod lifetime;
mod modes;
mod partial;
mod project;
mod registry;
mod remote;
mod running;
#[path = "../support.rs"]
#[allow(dead_code, reason = "each test program needs a part of it")]
mod support;
