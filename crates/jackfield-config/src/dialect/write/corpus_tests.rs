//! The real files, where they are beside the checkout: what is read is written as it was, also in every other dialect.

use std::path::Path;
use std::sync::Arc;

use super::tests::{catalog, changed, sorted};
use super::*;
use crate::definition::Transport;
use crate::edit::{self, plan};
use crate::read::corpus_tests::{bytes, folder, place};
use crate::read::testing::{places, read_bytes, source};
use crate::source::{SourceReading, SourceText};

const HOME: &str = "/home/u";

/// Every file of the index whose tool we know, read as its owner reads it.
fn readings() -> Option<Vec<(String, SourceReading)>> {
    let folder = folder()?;
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let readings = index.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, tool, path, _, _] = columns.as_slice() else { return None };
        let reading = read_bytes(&source(place(tool, file, path)?), &bytes(&folder.join(file)));
        Some(((*file).to_owned(), reading))
    });
    Some(readings.collect())
}

fn holds_a_server(definition: &Definition) -> bool {
    definition.problems.is_empty() && definition.elsewhere.is_none()
}

fn valid(reading: &SourceReading) -> impl Iterator<Item = &Definition> {
    reading.definitions.iter().map(AsRef::as_ref).filter(|definition| holds_a_server(definition))
}

#[test]
fn what_is_read_is_written_as_it_was() {
    let Some(readings) = readings() else { return };
    let (mut written, mut wrong) = (0, Vec::new());
    for (file, reading) in &readings {
        for definition in valid(reading) {
            let draft = Draft::of(definition);
            let again = as_read(&draft, &definition.source).unwrap();
            written += 1;
            if !again.problems.is_empty() || sorted(Draft::of(&again)) != sorted(draft) {
                let (is, was) = (Draft::of(&again), Draft::of(definition));
                wrong.push(format!(
                    "{file} `{}`: {:?}\n  is  {is:?}\n  was {was:?}",
                    definition.name, again.problems
                ));
            }
        }
    }
    assert!(written > 400, "only {written} servers written");
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_read_can_be_written_to_every_other_tool() {
    let Some(readings) = readings() else { return };
    let mut specs: Vec<Arc<SourceSpec>> = Vec::new();
    for spec in crate::discover::sources(&places(), &[], &crate::discover::NoFolders) {
        let target = spec.holds_servers() && spec.read_only().is_none();
        let same = |other: &Arc<SourceSpec>| other.host.id == spec.host.id && other.dialect == spec.dialect;
        if target && !specs.iter().any(same) {
            specs.push(Arc::new(spec));
        }
    }
    assert!(specs.len() > 35, "only {} targets", specs.len());
    let (mut written, mut wrong) = (0, Vec::new());
    for (file, reading) in &readings {
        for definition in valid(reading) {
            for spec in specs.iter().filter(|spec| spec.host.id != definition.source.host.id) {
                let (draft, mut notes) = translate(definition, spec);
                let refused = check(&draft, spec).into_iter().any(|p| p.severity == crate::Severity::Error);
                let rendered = entry(&draft, spec);
                notes.extend(rendered.notes);
                let again = read_back(&rendered.value, &draft.name, spec);
                written += 1;
                // Nobody but the form says no, and then the entry must not be taken either.
                assert_eq!(
                    refused,
                    !again.problems.is_empty(),
                    "{file} {} {:?}",
                    spec.host.id,
                    again.problems
                );
                if refused {
                    continue;
                }
                let (is, was) = (again.transport.word(), definition.transport.word());
                let told = notes.iter().any(|note| note.contains("HTTP"));
                // What tries both gets to either.
                let both = matches!(again.transport, Transport::Http { protocol: HttpProtocol::Auto, .. });
                if is != was && !told && !(both && was != Some("stdio")) {
                    wrong.push(format!(
                        "{file} `{}` in {}: {was:?} became {is:?}",
                        definition.name, spec.host.id
                    ));
                }
                // What it says of the start is the same, or it was told.
                if again.timeout != definition.timeout && !notes.iter().any(|note| note.contains("timeout")) {
                    wrong.push(format!(
                        "{file} `{}` in {}: the timeout is {:?}",
                        definition.name, spec.host.id, again.timeout
                    ));
                }
                if again.enabled.unwrap_or(true) != definition.enabled.unwrap_or(true)
                    && !notes.iter().any(|note| note.contains("switch"))
                {
                    wrong.push(format!(
                        "{file} `{}` in {}: enabled {:?}",
                        definition.name, spec.host.id, again.enabled
                    ));
                }
                // And every variable is one there, or it was told.
                let variables = |definition: &Definition| -> Vec<String> {
                    let mut names: Vec<String> = values(&definition.transport)
                        .into_iter()
                        .flat_map(|value| value.variables().map(str::to_owned).collect::<Vec<_>>())
                        .collect();
                    names.sort();
                    names
                };
                if variables(&again) != variables(definition) && notes.is_empty() {
                    wrong.push(format!(
                        "{file} `{}` in {}: variables {:?} became {:?}",
                        definition.name,
                        spec.host.id,
                        variables(definition),
                        variables(&again)
                    ));
                }
            }
        }
    }
    assert!(written > 10_000, "only {written} written");
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

fn values(transport: &Transport) -> Vec<&crate::value::ValueExpr> {
    match transport {
        Transport::Stdio { command, args, env, cwd } => std::iter::once(command)
            .chain(args)
            .chain(env.iter().map(|(_, value)| value))
            .chain(cwd)
            .collect(),
        Transport::Http { url, headers, .. } => {
            std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
        }
        Transport::Unknown => Vec::new(),
    }
}

#[test]
fn a_change_of_one_field_is_that_change_in_the_file() {
    let Some(readings) = readings() else { return };
    let folder = folder().unwrap();
    let (mut tried, mut wrong) = (0, Vec::new());
    for (file, reading) in readings {
        let text = SourceText::decode(&bytes(&folder.join(&file))).unwrap().text;
        let spec = Arc::clone(&reading.spec);
        let catalog = catalog(reading);
        // Large files with much of the same are enough by their beginning.
        for entry in catalog.entries.iter().filter(|entry| holds_a_server(&entry.definition)).take(8) {
            let base = Draft::of(&entry.definition);
            for (what, draft) in changed(&base, &abilities(&entry.definition.source)) {
                if draft == base {
                    continue;
                }
                tried += 1;
                let place = format!("{file} `{}` {what}", base.name);
                let plan = match plan::edit(&catalog, entry, &base, &draft, Path::new(HOME)) {
                    Ok(plan) => plan,
                    Err(error) => {
                        wrong.push(format!("{place}: {error}"));
                        continue;
                    }
                };
                let after = match edit::apply_all(&text, spec.format, &plan.edits[0].changes) {
                    Ok(after) => after.text,
                    Err(error) => {
                        wrong.push(format!("{place}: {error}"));
                        continue;
                    }
                };
                let again = read_bytes(&spec, after.as_bytes());
                let others = |reading: &SourceReading| -> Vec<(String, crate::definition::DefinitionHash)> {
                    let others = reading.definitions.iter().filter(|other| other.name != base.name);
                    others.map(|other| (other.name.clone(), other.hash.clone())).collect()
                };
                if others(&again) != others(&catalog.sources[0]) {
                    wrong.push(format!("{place}: others changed"));
                }
                let now = again.definitions.iter().rfind(|other| other.name == base.name).unwrap();
                if !now.problems.is_empty() || sorted(Draft::of(now)) != sorted(draft.clone()) {
                    wrong.push(format!(
                        "{place}: {:?}\n  is     {:?}\n  wanted {draft:?}",
                        now.problems,
                        Draft::of(now)
                    ));
                }
                let (before, after) = (other_keys(&entry.definition), other_keys(now));
                if before != after {
                    wrong.push(format!("{place}: other keys {before:?} became {after:?}"));
                }
            }
        }
    }
    // It has the time from an anchor, and lists in one line, which are left to the hand that wrote them.
    for by_hand in ["linux-mcp` no timeout", "linux-mcp` one more argument", "remote` one more header"] {
        wrong.retain(|line: &String| !line.starts_with(&format!("330-goose.yaml `{by_hand}: ")));
    }
    assert!(tried > 2_000, "only {tried} changes tried");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}
