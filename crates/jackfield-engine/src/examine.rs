//! Findings that need to know the machine: variables that are not set, commands that are not there.
//!
//! Only definitions that may run are examined: nothing of an unapproved one is looked up.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use jackfield_config::diagnostic::{Code, Diagnostic, Severity};
use jackfield_config::{Catalog, Definition, Judgement, Transport, ValueExpr, mask};

use crate::resolve::evaluate::{Context, Extent, Unset};

/// Looks at every definition that may run.
pub fn examine(
    catalog: &Catalog,
    env: &BTreeMap<String, String>,
    project: Option<&Path>,
    home: &Path,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut commands = HashMap::new();
    let path = env.get("PATH").map(String::as_str);
    for entry in catalog.entries.iter().filter(|entry| entry.judgement == Judgement::Run) {
        let definition = &entry.definition;
        let project = definition.source.project.as_deref().map_or(project, |own| Some(own.as_path()));
        let folder = project.unwrap_or(home);
        let context = Context { env, home, project };
        match &definition.transport {
            Transport::Stdio { command, args, env: own, cwd } => {
                left_out(&mut found, definition, own, &context, "env variable");
                for expr in std::iter::once(command).chain(args).chain(cwd) {
                    passed_as_it_is(&mut found, definition, expr, &context);
                }
                let command = context.evaluate(command, Extent::Show);
                if let Some(text) = command.text.filter(|text| command.unset.is_empty() && !text.is_empty()) {
                    let there = *commands.entry(text.clone()).or_insert_with(|| {
                        crate::transport::stdio::find_command(&text, path, folder).is_ok()
                    });
                    if !there {
                        found.push(not_found(definition, &text, env));
                    }
                }
            }
            Transport::Http { url, headers, .. } => {
                left_out(&mut found, definition, headers, &context, "header");
                for why in context.evaluate(url, Extent::Show).unset {
                    found.push(finding(
                        definition,
                        Code::UnsetVariable,
                        Severity::Error,
                        format!("{why}, so `{}` cannot be reached", definition.name),
                        format!("The url needs it; no request is made. {}", cure(&why)),
                    ));
                }
            }
            Transport::Unknown => {}
        }
    }
    found
}

fn left_out(
    found: &mut Vec<Diagnostic>,
    definition: &Definition,
    map: &[(String, ValueExpr)],
    context: &Context<'_>,
    what: &str,
) {
    // What only the owner of the file could fill in was told when the file was read.
    for (name, expr) in map.iter().filter(|(_, expr)| expr.unfillable().is_none()) {
        for why in context.evaluate(expr, Extent::Show).unset {
            found.push(finding(
                definition,
                Code::UnsetVariable,
                Severity::Error,
                why.to_string(),
                format!(
                    "The {what} `{name}` is left out when `{}` connects. {}",
                    definition.name,
                    cure(&why)
                ),
            ));
        }
    }
}

fn cure(unset: &Unset) -> &'static str {
    match unset {
        Unset::Variable(_) => "Set it where Jackfield is started, or write a value in its place.",
        Unset::Other(_) => "Write a value in its place, or see to what it needs.",
    }
}

fn passed_as_it_is(
    found: &mut Vec<Diagnostic>,
    definition: &Definition,
    expr: &ValueExpr,
    context: &Context<'_>,
) {
    for why in context.evaluate(expr, Extent::Show).unset {
        found.push(finding(
            definition,
            Code::UnsetVariable,
            Severity::Warning,
            why.to_string(),
            format!("`{}` gets the text as it stands: `{}`", definition.name, mask::command_line(&expr.raw)),
        ));
    }
}

fn not_found(definition: &Definition, command: &str, env: &BTreeMap<String, String>) -> Diagnostic {
    let name = &definition.name;
    let detail = if command.contains(['/', '\\']) {
        format!("`{name}` needs it. Correct `command`, or put the program there")
    } else {
        let path = env.get("PATH").map_or("an empty PATH", String::as_str);
        format!("`{name}` needs it. Install it, or write its whole path; it was looked for in {path}")
    };
    finding(
        definition,
        Code::CommandNotFound,
        Severity::Error,
        format!("`{}` was not found", mask::command_line(command)),
        detail,
    )
}

fn finding(
    definition: &Definition,
    code: Code,
    severity: Severity,
    title: String,
    detail: String,
) -> Diagnostic {
    Diagnostic {
        code,
        severity,
        title,
        detail,
        path: Some(Arc::clone(&definition.source.path)),
        position: definition.position,
        server: Some(definition.name.clone()),
        fixes: Vec::new(),
    }
}
