//! The rows: every host with its files, in the order of priority.

use super::{Base, Dialect, Format, Host, HostId, Listed, Location, Root, Scope, Switch};
use crate::value::{ValueRules, VariableSyntax};

mod assistants;
mod editors;
mod first;
mod probes;

/// How many hosts a part of the table has.
const fn total(parts: &[&[Host]]) -> usize {
    let (mut sum, mut at) = (0, 0);
    while at < parts.len() {
        sum += parts[at].len();
        at += 1;
    }
    sum
}

const PARTS: &[&[Host]] =
    &[first::HOSTS, editors::HOSTS, assistants::HOSTS, probes::HOSTS, editors::VS_CODE, first::BARE];

/// All hosts. The order is the priority.
pub static HOSTS: &[Host] = &{
    let mut all = [first::BARE[0]; total(PARTS)];
    let (mut next, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            all[next] = PARTS[part][at];
            next += 1;
            at += 1;
        }
        part += 1;
    }
    all
};

const ENABLED: Switch = Switch::Flag { key: "enabled", on: true };
const DISABLED: Switch = Switch::Flag { key: "disabled", on: false };

const AT_ONCE: &str = "at once";
const RESTART: &str = "when it starts again";
const SESSION: &str = "when its next session starts";
const REFRESH: &str = "after a refresh in its MCP settings";

const MCP_SERVERS: Root = Root::Keys(&["mcpServers"]);
const SERVERS: Root = Root::Keys(&["servers"]);

/// A host whose env and header values are the texts they are.
#[expect(clippy::too_many_arguments, reason = "a row of the table, in the order of its columns")]
const fn host(
    id: HostId,
    name: &'static str,
    mark: &'static str,
    dialect: Dialect,
    variables: VariableSyntax,
    switch: Switch,
    notices: &'static str,
    locations: &'static [Location],
) -> Host {
    let (values, probe) = (ValueRules::Literal, false);
    Host { id, name, mark, dialect, variables, values, switch, notices, probe, locations }
}

impl Host {
    const fn probe(self) -> Host {
        Host { probe: true, ..self }
    }
}

const fn at(scope: Scope, base: Base, path: &'static str, format: Format, root: Root) -> Location {
    Location {
        scope,
        base,
        path,
        format,
        root,
        note: None,
        dialect: None,
        unless: &[],
        listed: Listed::Always,
    }
}

impl Location {
    const fn note(self, note: &'static str) -> Location {
        Location { note: Some(note), ..self }
    }

    const fn spelled(self, dialect: Dialect) -> Location {
        Location { dialect: Some(dialect), ..self }
    }

    const fn unless(self, variables: &'static [&'static str]) -> Location {
        Location { unless: variables, ..self }
    }

    const fn if_there(self) -> Location {
        Location { listed: Listed::IfThere, ..self }
    }

    const fn if_it_has_servers(self) -> Location {
        Location { listed: Listed::IfItHasServers, ..self }
    }
}

/// A file of JSON with `mcpServers`, below the home directory.
const fn user(path: &'static str) -> Location {
    at(Scope::User, Base::Home, path, Format::STRICT_JSON, MCP_SERVERS)
}

/// A file of JSON with `mcpServers`, in the project.
const fn project(path: &'static str) -> Location {
    at(Scope::Project, Base::Project, path, Format::STRICT_JSON, MCP_SERVERS)
}

/// A file of JSON with `mcpServers`, below the folder of applications' settings.
const fn app(path: &'static str) -> Location {
    at(Scope::User, Base::AppConfig, path, Format::STRICT_JSON, MCP_SERVERS)
}
