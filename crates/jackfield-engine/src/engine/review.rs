//! What a person sees before allowing a project's server, and what is kept of it. Nothing here is evaluated.

use jackfield_config::{Definition, Transport, ValueExpr, mask};

use super::{Review, ReviewKind, ReviewValue};
use crate::loader::needs_approval;
use crate::paths::Paths;
use crate::resolve::evaluate;
use crate::trust::TrustStore;

/// Exactly what approving this definition would allow.
pub(super) fn review(paths: &Paths, definition: &Definition) -> Option<Review> {
    let project = definition.source.project.as_deref().filter(|_| needs_approval(definition))?.clone();
    let (trust, _) = TrustStore::load(&paths.state);
    let (name, source) = (&definition.name, &definition.source.path);
    let changed = match trust.previous(&project, name, source) {
        Some(_) => trust.changed(&project, name, source, &approval_lines(definition)),
        None => Vec::new(),
    };
    Some(Review { project, lines: lines(definition), values: values(definition), changed })
}

/// The command and its arguments, each as a shell would need it, or the url.
fn lines(definition: &Definition) -> Vec<String> {
    match &definition.transport {
        Transport::Stdio { command, args, .. } => {
            let args: Vec<String> = args.iter().map(|arg| arg.raw.clone()).collect();
            let words = std::iter::once(mask::command_line(&command.raw)).chain(mask::args(&args));
            words.map(|word| evaluate::quote(&word)).collect()
        }
        Transport::Http { url, .. } => vec![mask::url(&url.raw)],
        Transport::Unknown => Vec::new(),
    }
}

/// All that decides what happens beside [`lines`].
fn values(definition: &Definition) -> Vec<ReviewValue> {
    let alone =
        |kind, value: &str, runs| ReviewValue { kind, name: String::new(), value: value.to_owned(), runs };
    let map = |kind, map: &[(String, ValueExpr)]| {
        map.iter()
            .map(|(name, expr)| {
                let runs = expr.runs();
                let value =
                    if runs { mask::text(&expr.raw, &[]) } else { mask::value(Some(name), &expr.raw) };
                ReviewValue { kind, name: name.clone(), value, runs }
            })
            .collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    match &definition.transport {
        Transport::Stdio { env, cwd, .. } => {
            all.extend(cwd.iter().map(|cwd| alone(ReviewKind::Folder, &cwd.raw, false)));
            all.extend(definition.env_file.iter().map(|file| alone(ReviewKind::EnvFile, &file.raw, false)));
            all.extend(map(ReviewKind::Env, env));
        }
        Transport::Http { headers, .. } => {
            let helper = definition.headers_helper.iter();
            all.extend(helper.map(|helper| alone(ReviewKind::HeadersHelper, &mask::text(helper, &[]), true)));
            all.extend(map(ReviewKind::Header, headers));
        }
        Transport::Unknown => {}
    }
    all
}

/// The definition, one field a line, as it is kept with the approval so that a later change can be shown. Secrets are
/// masked; that they changed is in the hash.
pub(super) fn approval_lines(definition: &Definition) -> Vec<String> {
    let mut all: Vec<String> = match &definition.transport {
        Transport::Stdio { command, args, .. } => {
            let args: Vec<String> = args.iter().map(|arg| arg.raw.clone()).collect();
            let args = mask::args(&args);
            let numbered = args.iter().enumerate().map(|(at, arg)| format!("argument {}: {arg}", at + 1));
            std::iter::once(format!("command: {}", mask::command_line(&command.raw)))
                .chain(numbered)
                .collect()
        }
        Transport::Http { url, .. } => vec![format!("url: {}", mask::url(&url.raw))],
        Transport::Unknown => Vec::new(),
    };
    all.extend(values(definition).into_iter().map(|value| match value.kind {
        ReviewKind::Env => format!("variable {}: {}", value.name, value.value),
        ReviewKind::Header => format!("header {}: {}", value.name, value.value),
        ReviewKind::Folder => format!("folder: {}", value.value),
        ReviewKind::EnvFile => format!("variables from: {}", value.value),
        ReviewKind::HeadersHelper => format!("headers from: {}", value.value),
    }));
    all
}
