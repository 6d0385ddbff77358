//! Connects to the MCP servers that the AI applications of this machine have configured, and keeps their state.
//!
//! This crate is the library other programs use. It finds the configuration files, follows their changes, runs one
//! task a server and keeps an index of tools. It knows nothing of windows and terminals.

pub mod client;
pub mod engine;
pub mod examine;
pub mod exposure;
pub mod fs;
mod git_index;
pub mod loader;
pub mod log;
pub mod paths;
pub mod processes;
pub mod projects;
pub mod registry;
pub mod resolve;
pub mod server;
mod side_by_side;
pub mod state_file;
pub mod status;
pub mod supervisor;
pub mod tools;
pub mod transport;
pub mod trust;
pub mod watch;
pub mod wipe;
pub mod writer;

pub use engine::gather::{Gathered, discover_mcp_servers};
pub use engine::{Changed, ConnectWhen, Engine, EngineError, Options, ToolIndex, find_guard};
