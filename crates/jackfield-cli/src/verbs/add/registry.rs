//! `jackfield add --registry`: finds a server in the registry, answers what it asks for, and shows what will run.

use jackfield_api::Api;
use jackfield_api::wire::{RegistryChoice, RegistryInput, RegistryServer, ServerForm, TargetRow};

use crate::args::Common;
use crate::args::editing::Add;
use crate::output::{self, Exit, Failure};

/// Lists what the registry has for some words.
pub(super) async fn search(common: &Common, api: &Api, words: &str) -> Result<Exit, Failure> {
    let page = api.registry_search(words, None).await?;
    if common.json {
        output::json(&page)?;
        return Ok(Exit::Done);
    }
    let widest = page.servers.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(48);
    for row in &page.servers {
        let warning = row.warning.as_deref().map(|words| format!(" ({words})")).unwrap_or_default();
        output::data(&output::inert_line(&format!("{:widest$}  {}{warning}", row.name, row.description)));
    }
    for trouble in &page.unreadable {
        output::talk(&output::inert(trouble));
    }
    if page.servers.is_empty() {
        output::talk(&output::inert(&format!("The registry has no server whose name has `{words}` in it.")));
        return Ok(Exit::Failed);
    }
    if page.next.is_some() {
        output::talk("There are more; use a longer part of the name.");
    }
    output::talk("Add one by its whole name: jackfield add --registry NAME");
    Ok(Exit::Done)
}

/// The form of one server of the registry, filled in by `--set`.
pub(super) async fn form(
    common: &Common,
    api: &Api,
    args: &Add,
    name: &str,
    target: &TargetRow,
) -> Result<ServerForm, Failure> {
    let server = api.registry_server(name).await?;
    let choice = choose(args, &server)?;
    let values = args.set.iter().map(|(key, value)| (id_of(choice, key), value.clone())).collect();
    let filled = api.registry_fill(name, &server.row.version, &choice.id, &values, &target.id).await?;
    if !filled.problems.is_empty() {
        let problems = filled.problems.iter().map(|problem| {
            match choice.inputs.iter().find(|input| input.id == problem.field) {
                Some(input) => {
                    format!("\n  --set {}=VALUE  {}{}", key_of(choice, input), problem.message, about(input))
                }
                None => format!("\n  {}", problem.message),
            }
        });
        let problems = problems.collect::<String>();
        return Err(Failure::usage(output::inert(&format!("{name} asks for more:{problems}"))));
    }
    let mut form = filled.form;
    if let Some(own) = &args.name {
        form.name.clone_from(own);
    }
    if !common.json {
        if let Some(warning) = &server.row.warning {
            output::talk(&output::inert(&format!("{name}: {warning}")));
        }
        let lines = filled.lines.join("\n  ");
        output::talk(&output::inert(&format!("{}, {}:\n  {lines}", choice.label, server.row.version)));
        for variable in &filled.variables {
            output::talk(&output::inert(&format!(
                "Set the variable {variable} where {} is started; its value does not stand in the file.",
                target.host_name
            )));
        }
    }
    Ok(form)
}

fn choose<'a>(args: &Add, server: &'a RegistryServer) -> Result<&'a RegistryChoice, Failure> {
    let found = match &args.choice {
        Some(id) => server.choices.iter().find(|choice| choice.id == *id),
        None => server.choices.iter().find(|choice| choice.unsupported.is_none()),
    };
    found.ok_or_else(|| {
        let all = server.choices.iter().map(|choice| {
            let why = choice.unsupported.as_deref().map(|why| format!(" - {why}")).unwrap_or_default();
            format!("\n  {}  {} ({}){why}", choice.id, choice.label, choice.detail)
        });
        let message = match &args.choice {
            Some(id) => format!("{} has no way to run called `{id}`.", server.row.name),
            None => format!("{} has no way to run that works here.", server.row.name),
        };
        Failure::new(output::inert(&message))
            .hint(output::inert(&format!("What it has:{}", all.collect::<String>())))
    })
}

/// The id of the input that a person means, by its id or by its label.
fn id_of(choice: &RegistryChoice, key: &str) -> String {
    let by_id = || choice.inputs.iter().find(|input| input.id == key);
    let by_label = || choice.inputs.iter().find(|input| key_of(choice, input) == key);
    by_id().or_else(by_label).map_or(key, |input| input.id.as_str()).to_owned()
}

/// The label, where it is the only one of its kind and can be typed; else the id.
fn key_of<'a>(choice: &RegistryChoice, input: &'a RegistryInput) -> &'a str {
    let same = choice.inputs.iter().filter(|other| other.label == input.label).count();
    let typed = input.label.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if same == 1 && typed { &input.label } else { &input.id }
}

/// What an input is for, and what may be answered.
fn about(input: &RegistryInput) -> String {
    let mut words = input.description.as_deref().map(|text| format!(" - {text}")).unwrap_or_default();
    if !input.choices.is_empty() {
        words.push_str(&format!(" [{}]", input.choices.join(", ")));
    }
    words
}
