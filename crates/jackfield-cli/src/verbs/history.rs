//! `jackfield history` and `jackfield undo`.

use std::time::{SystemTime, UNIX_EPOCH};

use jackfield_api::wire::{EditRequest, HistoryEntry};
use jackfield_engine::ConnectWhen;
use serde::Serialize;

use crate::args::Common;
use crate::args::editing::{HistoryArgs, How};
use crate::output::{self, Exit, Failure, Ink};
use crate::session;
use crate::table::{self, Cell};
use crate::verbs::change;

/// `jackfield history --json`.
#[derive(Serialize)]
struct History {
    history: Vec<HistoryEntry>,
}

pub(crate) async fn run(common: &Common, args: &HistoryArgs) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let shown = match args.entry {
        Some(entry) => {
            let files = api.history_diff(entry)?;
            if common.json {
                output::json(&files)
            } else {
                output::data(&files.iter().map(change::diff).collect::<String>());
                Ok(())
            }
        }
        None => list(common, api.history(Some(args.limit))),
    };
    api.engine().shutdown().await;
    shown.map(|()| Exit::Done)
}

fn list(common: &Common, history: Vec<HistoryEntry>) -> Result<(), Failure> {
    if common.json {
        return output::json(&History { history });
    }
    if history.is_empty() {
        output::talk("Nothing was written yet.");
        return Ok(());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let rows: Vec<Vec<Cell>> = history
        .iter()
        .map(|entry| {
            let ago = u64::try_from(now.saturating_sub(u128::from(entry.at)) / 1000).unwrap_or(u64::MAX);
            vec![
                (entry.id.to_string(), Ink::Bold),
                (ago_words(ago), Ink::Faint),
                (entry.title.clone(), Ink::Plain),
                (entry.files.join(", "), Ink::Plain),
                (format!("by {}", entry.by), Ink::Faint),
                (entry.locked.clone().unwrap_or_default(), Ink::Faint),
            ]
        })
        .collect();
    output::data(&table::lines(&rows));
    Ok(())
}

fn ago_words(seconds: u64) -> String {
    match seconds {
        0..=59 => format!("{seconds} s ago"),
        60..=3_599 => format!("{} min ago", seconds / 60),
        3_600..=86_399 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

pub(crate) async fn undo(common: &Common, entry: Option<u64>, how: How) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = api.undo_entry(entry)?;
    change::apply(common, &api, EditRequest::Undo { entry }, how).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let words: Vec<String> = [0, 60, 3_600, 172_800].map(ago_words).into();
        assert_eq!(words, ["0 s ago", "1 min ago", "1 h ago", "2 d ago"]);
    }
}
