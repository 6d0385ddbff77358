//! What the CLI and the window may ask of Jackfield: one list of commands, the types they get back, one feed of
//! changes. Inner types of the engine end here.

pub mod api;
pub mod command;
pub mod contract;
pub mod desktop;
pub mod detail;
pub mod editing;
pub mod error;
pub mod feed;
mod insight;
pub mod rows;
pub mod wire;

pub use api::Api;
pub use command::Command;
pub use error::ApiError;
