//! What can be typed to change the files.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::Server;

/// How an edit is done.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct How {
    /// Show what would change, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `jackfield add`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    /// The name of the server
    pub name: Option<String>,
    /// Where it listens; https where no scheme is given
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// http or sse
    #[arg(long, value_name = "TRANSPORT")]
    pub transport: Option<String>,
    /// Sent as `Authorization: Bearer …`; the file gets the name of a variable, not the token
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Write the token itself into the file
    #[arg(long, requires = "token")]
    pub plaintext: bool,
    /// A header, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub header: Vec<(String, String)>,
    /// A variable, as NAME=VALUE
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
    /// The folder it starts in
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<String>,
    /// Give up connecting after this long, in the unit of the tool's file
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Take it from a text: JSON of any tool, TOML, a `claude mcp add` line, an install link; `-` reads standard input
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["url", "registry"])]
    pub from: Option<String>,
    /// Take it from the MCP registry by its name there, such as `io.github.owner/server`; other words search it
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub registry: Option<String>,
    /// An answer to what the registry's server asks for, as ID=VALUE
    #[arg(long, value_name = "ID=VALUE", value_parser = pair, requires = "registry")]
    pub set: Vec<(String, String)>,
    /// Which of the ways to run it, such as `package.0`; the first that works here if not said
    #[arg(long, value_name = "ID", requires = "registry")]
    pub choice: Option<String>,
    #[command(flatten)]
    pub to: To,
    #[command(flatten)]
    pub how: How,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The file a server is written to.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct To {
    /// The tool whose file it goes to
    #[arg(long, value_name = "ID")]
    pub host: Option<String>,
    /// user or project
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// This very file
    #[arg(long, value_name = "FILE")]
    pub path: Option<PathBuf>,
}

/// `jackfield edit`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Edit {
    #[command(flatten)]
    pub server: Server,
    /// A field and its new value: `url=…`, `env.TOKEN=…`, `headers.X-Team=…`, `args.0=…`, `timeout=…`, `type=http`
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// A field to take out: `env.TOKEN`, `headers.X-Team`, `cwd`, `timeout`
    #[arg(long, value_name = "FIELD")]
    pub unset: Vec<String>,
    #[command(flatten)]
    pub how: How,
    /// A new command with all its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `jackfield rename` and `jackfield duplicate`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Renamed {
    #[command(flatten)]
    pub server: Server,
    /// The new name
    pub to: String,
    #[command(flatten)]
    pub how: How,
}

/// `jackfield copy` and `jackfield move`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Transfer {
    #[command(flatten)]
    pub server: Server,
    /// The tool it goes to, such as cursor
    #[arg(long, value_name = "ID", required_unless_present = "to_path")]
    pub to: Option<String>,
    /// In which of its files: user or project
    #[arg(long, value_name = "SCOPE")]
    pub to_scope: Option<String>,
    /// The very file it goes to
    #[arg(long, value_name = "FILE")]
    pub to_path: Option<PathBuf>,
    /// Under another name
    #[arg(long, value_name = "NAME")]
    pub rename: Option<String>,
    #[command(flatten)]
    pub how: How,
}

/// What order a list is in, and how much of it.
#[derive(Debug, ClapArgs)]
pub(crate) struct HistoryArgs {
    /// Show what this write changed
    pub entry: Option<u64>,
    /// At most this many
    #[arg(long, short, default_value = "20", value_name = "COUNT")]
    pub limit: u32,
}

/// `NAME=VALUE`; the value may be empty and hold anything.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("expected NAME=VALUE".to_owned()),
    }
}
