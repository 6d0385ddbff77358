//! Findings about secrets that stand in files as plain text, and who can read them.
//!
//! One finding a server says that there are any; a file that others can read, or that git has, is said once more and
//! louder. Nothing is evaluated here, so unapproved definitions are looked at, too.

use std::collections::HashSet;
use std::sync::Arc;

use jackfield_config::diagnostic::{Code, Diagnostic, Fix, FixWork, Severity};
use jackfield_config::source::SourceReading;
use jackfield_config::{Catalog, Definition, Scope, Transport, mask};

use crate::fs;
use crate::git_index::Repositories;
use crate::side_by_side;

/// Looks at every source.
pub fn exposure(catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut looked_at: HashSet<&std::ffi::OsStr> = HashSet::new();
    let all: Vec<&Definition> =
        catalog.sources.iter().flat_map(|reading| &reading.definitions).map(|one| &**one).collect();
    let held = side_by_side::map(&all, |definition| secrets(definition));
    let mut held = held.iter();
    let mut repositories = Repositories::default();
    for reading in &catalog.sources {
        let secrets: Vec<(&Definition, &Vec<Held>)> = reading
            .definitions
            .iter()
            .zip(held.by_ref())
            .map(|(definition, secrets)| (&**definition, secrets))
            .filter(|(_, secrets)| !secrets.is_empty())
            .collect();
        if secrets.is_empty() {
            continue;
        }
        found.extend(secrets.iter().map(|(definition, names)| plain_text(definition, names)));
        let path = reading.spec.path.as_path();
        if !looked_at.insert(path.as_os_str()) {
            continue;
        }
        if reading.spec.scope != Scope::Project && fs::is_readable_by_others(path) {
            found.push(readable(reading));
        }
        if repositories.track(path) {
            found.push(tracked(reading));
        }
    }
    found
}

/// A secret in a definition.
struct Held {
    /// `GITHUB_TOKEN` in backticks, "an argument", "the url".
    shown: String,
    /// The field, as a definition names it: `env.GITHUB_TOKEN`, `args.3`.
    field: String,
}

fn secrets(definition: &Definition) -> Vec<Held> {
    let pairs = |group: &str, pairs: &[(String, jackfield_config::ValueExpr)]| {
        let hidden = pairs.iter().filter(|(name, value)| is_secret(name, &value.raw));
        let held =
            hidden.map(|(name, _)| Held { shown: format!("`{name}`"), field: format!("{group}.{name}") });
        held.collect::<Vec<_>>()
    };
    match &definition.transport {
        Transport::Stdio { args, env, .. } => {
            let mut held = pairs("env", env);
            let args: Vec<String> = args.iter().map(|arg| arg.raw.clone()).collect();
            if let Some(index) = mask::args(&args).iter().zip(&args).position(|(shown, arg)| shown != arg) {
                held.push(Held { shown: "an argument".to_owned(), field: format!("args.{index}") });
            }
            held
        }
        Transport::Http { url, headers, .. } => {
            let mut held = pairs("headers", headers);
            if mask::url(&url.raw) != url.raw {
                held.push(Held { shown: "the url".to_owned(), field: "url".to_owned() });
            }
            held
        }
        Transport::Unknown => Vec::new(),
    }
}

/// A command says where a secret is, not what it is.
fn is_secret(name: &str, raw: &str) -> bool {
    !raw.starts_with('!') && mask::value(Some(name), raw) != raw
}

fn plain_text(definition: &Definition, held: &[Held]) -> Diagnostic {
    let names: Vec<&str> = held.iter().map(|secret| secret.shown.as_str()).collect();
    let place = held.first().and_then(|secret| definition.place_of(&secret.field));
    let place = place.filter(|place| place.source.is_none());
    let forms = definition.source.host.variables.example();
    let detail = match forms {
        Some(form) => format!(
            "Whoever reads the file has it. {} evaluates variables: write `{form}`, and set the variable where it is started.",
            definition.source.host.name
        ),
        None => format!(
            "Whoever reads the file has it. {} evaluates no variables, so keep the file to yourself and out of git.",
            definition.source.host.name
        ),
    };
    Diagnostic {
        code: Code::PlaintextSecret,
        severity: Severity::Info,
        title: match names.as_slice() {
            [one] => format!("{one} of `{}` is a secret in plain text", definition.name),
            _ => format!("{} of `{}` are secrets in plain text", names.join(", "), definition.name),
        },
        detail,
        path: Some(Arc::clone(&definition.source.path)),
        position: place.map(|place| place.position).or(definition.position),
        server: Some(definition.name.clone()),
        fixes: Vec::new(),
    }
}

fn about(reading: &SourceReading, code: Code, title: String, detail: String, fixes: Vec<Fix>) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Warning,
        title,
        detail,
        path: Some(Arc::clone(&reading.spec.path)),
        position: None,
        server: None,
        fixes,
    }
}

fn readable(reading: &SourceReading) -> Diagnostic {
    let fix = Fix { title: "Make it readable for you only".to_owned(), work: FixWork::Private };
    about(
        reading,
        Code::ReadableByOthers,
        "the file holds secrets and other users of this machine can read it".to_owned(),
        "Take the right to read it from others (mode 0600); the application reads it as before.".to_owned(),
        vec![fix],
    )
}

fn tracked(reading: &SourceReading) -> Diagnostic {
    about(
        reading,
        Code::SecretInGit,
        "the file holds secrets and is tracked by git".to_owned(),
        "Everybody who has the repository has them, and its history keeps them. Write a variable in their place, and replace the secrets where they were issued.".to_owned(),
        Vec::new(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use jackfield_config::settings::Settings;

    use super::*;
    use crate::loader::{Loader, Rules};
    use crate::paths::Paths;

    fn found(home: &Path, project: Option<&Path>) -> Vec<(Code, String)> {
        let env: BTreeMap<String, String> = [("HOME".to_owned(), home.display().to_string())].into();
        let mut loader = Loader::new(Paths::from_env(&env).unwrap(), Arc::new(env));
        let rules = Rules {
            project,
            exa_allowed: &[],
            approved: &|_: &Definition, _: &Settings| false,
            server_env: &BTreeMap::new(),
        };
        let found = loader.load(&rules).catalog.diagnostics;
        let wanted = [Code::PlaintextSecret, Code::ReadableByOthers, Code::SecretInGit];
        found
            .into_iter()
            .filter(|found| wanted.contains(&found.code))
            .map(|found| (found.code, found.title))
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn secrets_and_who_can_read_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".cursor/mcp.json");
        let text = r#"{"mcpServers": {
            "a": {"command": "x", "args": ["--api-key", "k-123"], "env": {"API_TOKEN": "s-1", "MODE": "m"}},
            "b": {"url": "https://example.com", "headers": {"Authorization": "Bearer ${env:T}"}}
        }}"#;
        fs::write_atomic(&file, text.as_bytes(), fs::Mode::Private).unwrap();
        let title = "`API_TOKEN`, an argument of `a` are secrets in plain text".to_owned();
        assert_eq!(found(folder.path(), None), [(Code::PlaintextSecret, title)], "`b` names a variable");
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_mode(0o644);
        std::fs::set_permissions(&file, permissions).unwrap();
        let codes: Vec<Code> = found(folder.path(), None).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [Code::PlaintextSecret, Code::ReadableByOthers]);
    }
}
