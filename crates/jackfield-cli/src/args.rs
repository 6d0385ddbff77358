//! What can be typed.

use std::path::PathBuf;

pub(crate) mod editing;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// See, test and switch the MCP servers of all your AI tools.
#[derive(Debug, Parser)]
#[command(name = "jackfield", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Common {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// The project folder; by default the nearest one above the working directory
    #[arg(long, global = true, value_name = "FOLDER", conflicts_with = "no_project")]
    pub project: Option<PathBuf>,
    /// Look at no project, wherever this is run
    #[arg(long, global = true)]
    pub no_project: bool,
    /// Run the project's servers without asking for approval, this time
    #[arg(long, global = true)]
    pub trust_project: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// All servers of all tools, and what state each is in
    List(Wait),
    /// Everything about one server
    Show {
        #[command(flatten)]
        server: Server,
        #[command(flatten)]
        wait: Wait,
    },
    /// Connect one server and say what came of it
    Test {
        #[command(flatten)]
        server: Server,
        /// Print the messages of the protocol, with secrets masked, on stderr
        #[arg(long)]
        wire: bool,
    },
    /// MCP servers that other programs have started
    Processes {
        /// Ask this one to end, with all that it started
        #[arg(long, value_name = "PID")]
        end: Option<u32>,
    },
    /// The tools of all servers, or of one
    Tools {
        /// Only this server's
        name: Option<String>,
        #[command(flatten)]
        wait: Wait,
    },
    /// Call a tool: `call SERVER TOOL [JSON]` or `call EXPOSED_NAME [JSON]`
    Call {
        /// Server and tool, or the exposed name of a tool; then the arguments as a JSON object, `-` for standard input
        #[arg(required = true, num_args = 1..=3, value_name = "SERVER TOOL [JSON]")]
        words: Vec<String>,
        /// Give up after this many seconds without an answer or progress
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        timeout: Option<f64>,
        #[command(flatten)]
        which: Which,
    },
    /// Add a server: NAME --url URL, or NAME -- COMMAND ARGUMENTS; or from a text or the registry
    Add(Box<editing::Add>),
    /// Change fields of a server
    Edit(Box<editing::Edit>),
    /// Remove a server from its file
    #[command(visible_alias = "rm")]
    Remove {
        #[command(flatten)]
        server: Server,
        #[command(flatten)]
        how: editing::How,
    },
    /// Give a server another name
    Rename(editing::Renamed),
    /// Add the same server under another name beside it
    Duplicate(editing::Renamed),
    /// Add a server to another tool, in that tool's spelling
    Copy(editing::Transfer),
    /// Copy a server to another tool and remove it here
    Move(editing::Transfer),
    /// What was written, newest first
    History(editing::HistoryArgs),
    /// Take back the last write, or the one named
    Undo {
        /// Its number in the history
        entry: Option<u64>,
        #[command(flatten)]
        how: editing::How,
    },
    /// Switch a server on
    Enable {
        #[command(flatten)]
        server: Server,
    },
    /// Switch a server off
    Disable {
        #[command(flatten)]
        server: Server,
    },
    /// Review a project's server and allow it to run
    Approve {
        #[command(flatten)]
        server: Server,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Every file that is looked at
    Sources {
        /// Also those that do not exist
        #[arg(long)]
        all: bool,
    },
    /// The current project, and those that other tools know
    Projects,
    /// What is wrong, where, and how to put it right
    Doctor {
        #[command(flatten)]
        wait: Wait,
        /// Put right what has this code and can be put right; `all` for all
        #[arg(long, value_name = "CODE")]
        fix: Option<String>,
        #[command(flatten)]
        how: editing::How,
    },
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
}

/// One server, by name.
#[derive(Debug, ClapArgs)]
pub(crate) struct Server {
    pub name: String,
    #[command(flatten)]
    pub which: Which,
}

/// Which definition of a name; by default the one in use.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Which {
    /// Of this tool, such as cursor or claude-code
    #[arg(long, value_name = "ID")]
    pub host: Option<String>,
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeArg>,
    /// In this file
    #[arg(long, value_name = "FILE")]
    pub path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    User,
    Local,
    Project,
    Managed,
    Plugin,
}

/// How long to wait for servers.
#[derive(Debug, ClapArgs)]
pub(crate) struct Wait {
    /// Wait this long for servers to settle
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, conflicts_with = "no_connect")]
    pub wait: f64,
    /// Connect nothing; show what the files say
    #[arg(long)]
    pub no_connect: bool,
}

/// A number of seconds, up to a day.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=86_400.0).contains(&value) => Ok(value),
        Ok(_) | Err(_) => Err("a number of seconds from 0 to 86400".to_owned()),
    }
}
