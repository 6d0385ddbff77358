//! One file a verb.

mod approve;
mod call;
mod completions;
mod doctor;
mod list;
mod projects;
mod show;
mod sources;
mod test;
mod toggle;
mod tools;

use crate::args::{Args, Verb};
use crate::output::{Exit, Failure};

/// Does what was typed.
pub(crate) async fn run(args: Args) -> Result<Exit, Failure> {
    let common = args.common;
    match args.verb {
        Verb::List(wait) => list::run(&common, &wait).await,
        Verb::Show { server, wait } => show::run(&common, &server, &wait).await,
        Verb::Test { server } => test::run(&common, &server).await,
        Verb::Tools { name, wait } => tools::run(&common, name.as_deref(), &wait).await,
        Verb::Call { words, timeout, which } => call::run(&common, &words, timeout, &which).await,
        Verb::Enable { server } => toggle::run(&common, &server, true).await,
        Verb::Disable { server } => toggle::run(&common, &server, false).await,
        Verb::Approve { server, yes } => approve::run(&common, &server, yes).await,
        Verb::Sources { all } => sources::run(&common, all).await,
        Verb::Projects => projects::run(&common).await,
        Verb::Doctor(wait) => doctor::run(&common, &wait).await,
        Verb::Completions { shell } => Ok(completions::run(shell)),
    }
}
