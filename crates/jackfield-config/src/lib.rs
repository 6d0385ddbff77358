//! Reads the MCP configuration of AI applications and edits it without damage.
//!
//! Everything here is pure: no file is opened, no variable is read, no clock is asked. The caller hands in
//! [`Places`] (where things are on this machine) and the text of each file; it gets values and diagnostics back.
//! Nothing fails as a whole: a broken file costs only itself.
//!
//! The way of a server through this crate:
//! [`discover::sources`] → [`read::read_source`] → [`catalog::merge`], and back by [`edit`].

pub mod catalog;
pub mod definition;
pub mod diagnostic;
pub mod discover;
pub mod draft;
pub mod edit;
pub mod host;
pub mod import;
pub mod mask;
pub mod places;
pub mod read;
pub mod registry;
pub mod settings;
pub mod source;
pub mod validate;
pub mod value;

mod dialect;
mod format;

pub use catalog::{Catalog, Entry, Judgement, Policy};
pub use definition::{Definition, DefinitionHash, HttpProtocol, ServerId, Transport};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use dialect::write;
pub use host::{Dialect, Host, HostId, Scope};
pub use places::{Os, Places};
pub use source::{ReadState, SourceId, SourceReading, SourceSpec, SourceText};
pub use value::{Piece, ValueExpr};
