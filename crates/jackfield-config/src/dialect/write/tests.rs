use std::path::Path;
use std::time::Duration;

use super::*;
use crate::catalog::{self, Catalog, Policy};
use crate::edit::{self, plan};
use crate::host::Scope;
use crate::read::testing::{places, read_bytes};
use crate::source::SourceReading;

type Pairs = Vec<(String, String)>;
/// Of command, arguments, variables and folder.
type StdioChange<'a> = &'a dyn Fn(&mut String, &mut Vec<String>, &mut Pairs, &mut Option<String>);

/// A draft whose pairs have an order of their own, for a comparison.
pub(super) fn sorted(mut draft: Draft) -> Draft {
    match &mut draft.transport {
        DraftTransport::Stdio { env: pairs, .. } | DraftTransport::Http { headers: pairs, .. } => {
            pairs.sort()
        }
    }
    draft
}

pub(super) fn catalog(reading: SourceReading) -> Catalog {
    let policy = Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: false,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    };
    catalog::merge(vec![reading], &policy)
}

pub(super) const PROTOCOLS: &[(TransportKind, HttpProtocol)] = &[
    (TransportKind::Http, HttpProtocol::Streamable),
    (TransportKind::Sse, HttpProtocol::Sse),
    (TransportKind::Auto, HttpProtocol::Auto),
];

/// Drafts that differ from this one in one field each, as far as the source can say so.
pub(super) fn changed(draft: &Draft, can: &Abilities) -> Vec<(&'static str, Draft)> {
    let mut all = Vec::new();
    let mut put = |what, change: &dyn Fn(&mut Draft)| {
        let mut draft = draft.clone();
        change(&mut draft);
        all.push((what, draft));
    };
    if can.timeout.is_some() {
        put("timeout", &|draft| draft.timeout = Some(Duration::from_secs(77)));
        put("no timeout", &|draft| draft.timeout = None);
    }
    if can.switch {
        put("switch", &|draft| draft.enabled = !draft.enabled);
    }
    match &draft.transport {
        DraftTransport::Stdio { .. } => {
            let stdio = |draft: &mut Draft, change: StdioChange<'_>| {
                if let DraftTransport::Stdio { command, args, env, cwd } = &mut draft.transport {
                    change(command, args, env, cwd);
                }
            };
            put("command", &|draft| stdio(draft, &|command, _, _, _| "other".clone_into(command)));
            put("one more argument", &|draft| stdio(draft, &|_, args, _, _| args.push("--more".to_owned())));
            put("no arguments", &|draft| stdio(draft, &|_, args, _, _| args.clear()));
            put("one more variable", &|draft| {
                stdio(draft, &|_, _, env, _| env.push(("MORE".to_owned(), "1".to_owned())))
            });
            put("no variables", &|draft| stdio(draft, &|_, _, env, _| env.clear()));
            put("another value", &|draft| {
                stdio(draft, &|_, _, env, _| env.iter_mut().for_each(|pair| pair.1 = "2".to_owned()))
            });
            if can.cwd {
                put("folder", &|draft| stdio(draft, &|_, _, _, cwd| *cwd = Some("/there".to_owned())));
                put("no folder", &|draft| stdio(draft, &|_, _, _, cwd| *cwd = None));
            }
            let protocol = PROTOCOLS.iter().find(|(kind, _)| can.transports.contains(kind) && can.headers);
            if let Some((_, protocol)) = protocol {
                put("remote", &|draft| {
                    draft.transport = Draft::http("", "https://h.example/mcp", *protocol).transport;
                });
            }
        }
        DraftTransport::Http { .. } => {
            let http = |draft: &mut Draft, change: &dyn Fn(&mut String, &mut Pairs)| {
                if let DraftTransport::Http { url, headers, .. } = &mut draft.transport {
                    change(url, headers);
                }
            };
            put("url", &|draft| http(draft, &|url, _| "https://other.example/mcp".clone_into(url)));
            put("one more header", &|draft| {
                http(draft, &|_, headers| headers.push(("X-More".to_owned(), "1".to_owned())))
            });
            put("no headers", &|draft| http(draft, &|_, headers| headers.clear()));
            for (kind, to) in PROTOCOLS {
                if can.transports.contains(kind) {
                    put("protocol", &|draft| {
                        if let DraftTransport::Http { protocol, .. } = &mut draft.transport {
                            *protocol = *to;
                        }
                    });
                }
            }
            put("command instead", &|draft| {
                draft.transport = Draft::stdio("", "program", vec!["x".to_owned()]).transport;
            });
        }
    }
    all
}

/// One source for each way in which a tool keeps servers.
fn every_source() -> Vec<Arc<SourceSpec>> {
    let mut all: Vec<Arc<SourceSpec>> = Vec::new();
    for spec in crate::discover::sources(&places(), &[], &crate::discover::NoFolders) {
        let same = |other: &Arc<SourceSpec>| {
            other.host.id == spec.host.id && other.dialect == spec.dialect && other.root == spec.root
        };
        let open = !matches!(spec.scope, Scope::Managed | Scope::Plugin);
        if open && !all.iter().any(same) {
            all.push(Arc::new(spec));
        }
    }
    all
}

fn drafts() -> [Draft; 2] {
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let stdio = DraftTransport::Stdio {
        command: "npx".to_owned(),
        args: vec!["-y".to_owned(), "a b".to_owned(), String::new()],
        env: pairs(&[("A", "1"), ("B_C", "two words")]),
        cwd: Some("/there".to_owned()),
    };
    let http = DraftTransport::Http {
        url: "https://h.example/mcp?a=1&b=2".to_owned(),
        headers: pairs(&[("Authorization", "Bearer abc"), ("X-Team", "a: b")]),
        protocol: HttpProtocol::Streamable,
    };
    let draft = |transport| Draft {
        name: "server_1".to_owned(),
        transport,
        enabled: false,
        timeout: Some(Duration::from_millis(2500)),
    };
    [draft(stdio), draft(http)]
}

/// The draft as far as this source can say it; the rest must be told.
fn possible(mut draft: Draft, can: &Abilities, notes: &[String], place: &str) -> Draft {
    let told =
        |what: &str| assert!(notes.iter().any(|note| note.contains(what)), "{place}: {what}: {notes:?}");
    if can.timeout.is_none() {
        told("timeout");
        draft.timeout = None;
    }
    if let Some(timeout) = draft.timeout.as_mut()
        && notes.iter().any(|note| note.ends_with("takes whole seconds: the timeout becomes 3"))
    {
        *timeout = Duration::from_secs(3);
    }
    if !can.switch {
        told("switch");
        draft.enabled = true;
    }
    match &mut draft.transport {
        DraftTransport::Stdio { cwd, .. } if !can.cwd => {
            told("working directory");
            *cwd = None;
        }
        DraftTransport::Http { protocol, .. } if !can.transports.contains(&TransportKind::Http) => {
            let other = PROTOCOLS.iter().find(|(kind, _)| can.transports.contains(kind));
            *protocol = other.map_or(HttpProtocol::Streamable, |(_, protocol)| *protocol);
            if *protocol == HttpProtocol::Sse {
                told("HTTP+SSE");
            }
        }
        DraftTransport::Stdio { .. } | DraftTransport::Http { .. } => {}
    }
    draft
}

#[test]
fn every_tool_takes_a_server_and_each_change_of_it() {
    let home = Path::new("/home/u");
    let sources = every_source();
    assert!(sources.len() > 40, "only {} sources", sources.len());
    let (mut tried, mut refused) = (0, Vec::new());
    for spec in &sources {
        for draft in drafts() {
            let place = format!("{} {} {:?}", spec.host.id, spec.path.display(), spec.root);
            let empty = catalog(read_bytes(spec, b""));
            let added = match plan::add(&empty, &spec.id, &draft, home) {
                Ok(plan) => plan,
                Err(error) => {
                    refused.push(format!("{}: {error}", spec.host.id));
                    continue;
                }
            };
            let text = edit::apply_all("", spec.format, &added.edits[0].changes).unwrap().text;
            let reading = read_bytes(spec, text.as_bytes());
            let found = reading.definitions.first().unwrap_or_else(|| panic!("{place}:\n{text}"));
            assert_eq!(found.problems, Vec::<String>::new(), "{place}:\n{text}");
            let base = Draft::of(found);
            let can = abilities(&found.source);
            let wanted = possible(draft, &can, &added.notes, &place);
            assert_eq!(sorted(base.clone()), sorted(wanted), "{place}:\n{text}");

            let there = catalog(reading);
            let entry = &there.entries[0];
            for (what, draft) in changed(&base, &can).into_iter().filter(|(_, draft)| *draft != base) {
                tried += 1;
                let plan = plan::edit(&there, entry, &base, &draft, home)
                    .unwrap_or_else(|error| panic!("{place} {what}: {error}\n{text}"));
                let after = edit::apply_all(&text, spec.format, &plan.edits[0].changes)
                    .unwrap_or_else(|error| panic!("{place} {what}: {error}\n{text}"))
                    .text;
                let again = read_bytes(spec, after.as_bytes());
                let now = again.definitions.first().unwrap_or_else(|| panic!("{place} {what}:\n{after}"));
                assert_eq!(now.problems, Vec::<String>::new(), "{place} {what}:\n{after}");
                assert_eq!(sorted(Draft::of(now)), sorted(draft), "{place} {what}:\n{after}");
            }
            let gone = plan::remove(&there, entry, home).unwrap();
            let after = edit::apply_all(&text, spec.format, &gone.edits[0].changes).unwrap().text;
            assert!(read_bytes(spec, after.as_bytes()).definitions.is_empty(), "{place}:\n{after}");
        }
    }
    assert!(tried > 500, "only {tried} changes");
    refused.dedup();
    insta::assert_snapshot!(refused.join("\n"));
}
