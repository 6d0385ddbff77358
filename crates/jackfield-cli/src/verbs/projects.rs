//! `jackfield projects`.

use jackfield_api::feed;
use jackfield_api::wire::ProjectRow;
use jackfield_engine::ConnectWhen;

use crate::args::Common;
use crate::output::{self, Exit, Failure, Ink};
use crate::{session, table};

pub(crate) async fn run(common: &Common) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    api.engine().look_for_projects().await.map_err(|error| Failure::new(error.to_string()))?;
    let projects = feed::projects(api.engine());
    api.engine().shutdown().await;
    if common.json {
        output::json(&projects)?;
        return Ok(Exit::Done);
    }
    let row = |word: &str, project: &ProjectRow| {
        vec![(word.to_owned(), Ink::Faint), (project.display_path.clone(), Ink::Plain)]
    };
    let mut rows = Vec::new();
    rows.extend(projects.current.iter().map(|project| row("current", project)));
    rows.extend(projects.recent.iter().map(|project| row("recent", project)));
    rows.extend(projects.candidates.iter().map(|project| row("known to your tools", project)));
    if rows.is_empty() {
        output::talk("No project here, and none is known.");
    } else {
        output::data(&table::lines(&rows));
    }
    Ok(Exit::Done)
}
