//! `jackfield enable NAME` and `jackfield disable NAME`.

use jackfield_engine::ConnectWhen;

use crate::args::{Common, Server};
use crate::output::{self, Exit, Failure};
use crate::session;

pub(crate) async fn run(common: &Common, server: &Server, on: bool) -> Result<Exit, Failure> {
    let api = session::start(common, ConnectWhen::OnRequest).await?;
    let entry = session::pick(api.engine(), server)?;
    let outcome = api.set_enabled(&entry.definition.id, on).await?;
    api.engine().shutdown().await;
    if common.json {
        output::json(&outcome)?;
    } else {
        output::data(&output::inert(&outcome.message));
    }
    Ok(Exit::Done)
}
