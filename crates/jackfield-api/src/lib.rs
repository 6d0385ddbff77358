//! What the CLI and the window may ask of Jackfield: one list of commands, the types they get back, one feed of
//! changes. Inner types of the engine end here.

pub mod command;
pub mod wire;

pub use command::Command;
