//! One file a verb.

mod add;
mod approve;
mod call;
mod change;
mod completions;
mod doctor;
mod edit;
mod history;
mod list;
mod processes;
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
        Verb::Test { server, wire } => test::run(&common, &server, wire).await,
        Verb::Processes { end } => processes::run(&common, end).await,
        Verb::Tools { name, wait } => tools::run(&common, name.as_deref(), &wait).await,
        Verb::Call { words, timeout, which } => call::run(&common, &words, timeout, &which).await,
        Verb::Add(add) => add::run(&common, *add).await,
        Verb::Edit(edit) => edit::run(&common, *edit).await,
        Verb::Remove { server, how } => change::remove(&common, &server, how).await,
        Verb::Rename(renamed) => change::rename(&common, renamed).await,
        Verb::Duplicate(renamed) => change::duplicate(&common, renamed).await,
        Verb::Copy(transfer) => change::transfer(&common, transfer, true).await,
        Verb::Move(transfer) => change::transfer(&common, transfer, false).await,
        Verb::History(args) => history::run(&common, &args).await,
        Verb::Undo { entry, how } => history::undo(&common, entry, how).await,
        Verb::Enable { server } => toggle::run(&common, &server, true).await,
        Verb::Disable { server } => toggle::run(&common, &server, false).await,
        Verb::Approve { server, yes } => approve::run(&common, &server, yes).await,
        Verb::Sources { all } => sources::run(&common, all).await,
        Verb::Projects => projects::run(&common).await,
        Verb::Doctor { wait, fix, how } => doctor::run(&common, &wait, fix.as_deref(), how).await,
        Verb::Completions { shell } => Ok(completions::run(shell)),
    }
}
