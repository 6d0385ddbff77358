//! Real files: every server of every known root, switched off and on again.

use std::path::PathBuf;

use super::*;
use crate::edit::structural::seen;

fn corpus() -> Option<PathBuf> {
    let path = std::env::var_os("JACKFIELD_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED: no corpus at {}", path.display());
    None
}

/// One real file.
pub(super) fn bytes_of(file: &str) -> Option<Vec<u8>> {
    #[expect(clippy::disallowed_methods, reason = "a test that reads its samples")]
    corpus().map(|folder| std::fs::read(folder.join(file)).unwrap())
}

const ROOTS: &[&[&str]] = &[
    &["mcpServers"],
    &["servers"],
    &["mcp", "servers"],
    &["mcp"],
    &["context_servers"],
    &["amp.mcpServers"],
    &["mcp_servers"],
    &["extensions"],
];

/// What is refused, by file and entry, and why.
const EXCEPTIONS: &[(&str, &str, &str)] =
    &[("330-goose.yaml", "defaults", "an alias elsewhere stands for the same")];

fn is_exception(path: &std::path::Path, name: &str, why: &str) -> bool {
    EXCEPTIONS.iter().any(|(file, entry, words)| path.ends_with(file) && *entry == name && *words == why)
}

/// The object at a path, by the last occurrence of each key.
fn at<'p>(mut plain: &'p plain::Plain, path: &[&str]) -> Option<&'p [(String, plain::Plain)]> {
    for key in path {
        let plain::Plain::Object(members) = plain else { return None };
        plain = &members.iter().rfind(|(name, _)| name == key)?.1;
    }
    match plain {
        plain::Plain::Object(members) => Some(members),
        plain::Plain::Scalar(_) | plain::Plain::Text(_) | plain::Plain::Array(_) => None,
    }
}

#[test]
fn switching_off_and_on_returns_the_bytes_of_every_real_file() {
    let Some(folder) = corpus() else { return };
    #[expect(clippy::disallowed_methods, reason = "a test that reads its samples")]
    let read = |path: &PathBuf| std::fs::read_to_string(path).ok();
    let (mut files, mut servers, mut exceptions) = (0, 0, 0);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json" | "jsonc") => JSON,
            Some("toml") => Format::Toml,
            Some("yaml") => Format::Yaml,
            _ => continue,
        };
        let Some(text) = read(&path) else { continue };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let parsed = match format {
            Format::Json { .. } => crate::edit::json::plain(text),
            Format::Toml => crate::edit::toml::plain(text),
            Format::Yaml => crate::edit::yaml::plain(text),
            Format::Script => continue,
        };
        let Ok(parsed) = parsed else { continue };
        files += 1;
        for root in ROOTS {
            for (name, entry) in at(&parsed, root).unwrap_or_default() {
                let plain::Plain::Object(fields) = entry else { continue };
                let keys = strings(root);
                let key =
                    if fields.iter().any(|(field, _)| field == "enabled") { "enabled2" } else { "enabled" };
                let off = match apply(text, format, &Change::set_flag(&keys, name, key, false)) {
                    Ok(off) => off,
                    Err(EditError::Duplicated { .. }) => continue,
                    Err(EditError::Unsupported { why, .. }) if is_exception(&path, name, why) => {
                        exceptions += 1;
                        continue;
                    }
                    Err(error) => panic!("{} {name}: {error}", path.display()),
                };
                servers += 1;
                assert!(off.inserted);
                let (gone, new) = changed_lines(text, &off.text);
                assert!((gone, new) == (0, 1) || (gone, new) == (1, 1), "{} {name}", path.display());
                let on = apply(&off.text, format, &Change::remove_flag(&keys, name, key)).unwrap();
                assert_eq!(on.text, text, "{} {name}", path.display());
            }
        }
    }
    println!("{servers} servers in {files} files");
    assert_eq!(exceptions, EXCEPTIONS.len(), "an exception no longer applies");
    assert!(files > 100 && servers > 200, "{servers} servers in {files} files");
}

/// A server that is added, edited and removed leaves every real file as it was.
#[test]
fn adding_editing_and_removing_returns_the_bytes_of_every_real_file() {
    let Some(folder) = corpus() else { return };
    #[expect(clippy::disallowed_methods, reason = "a test that reads its samples")]
    let read = |path: &PathBuf| std::fs::read_to_string(path).ok();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut files, mut failures) = (0, Vec::new());
    for path in paths {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json" | "jsonc") => JSON,
            Some("toml") => Format::Toml,
            Some("yaml") => Format::Yaml,
            _ => continue,
        };
        let Some(text) = read(&path) else { continue };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let parsed = match format {
            Format::Json { .. } => crate::edit::json::plain(text),
            Format::Toml => crate::edit::toml::plain(text),
            Format::Yaml => crate::edit::yaml::plain(text),
            Format::Script => continue,
        };
        let Ok(parsed) = parsed else { continue };
        for root in ROOTS {
            if at(&parsed, root).is_none_or(<[_]>::is_empty) {
                continue;
            }
            files += 1;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if let Err(why) = there_and_back(text, format, &strings(root)) {
                failures.push(format!("{name} {}: {why}", root.join(".")));
            }
        }
    }
    println!("{files} files");
    assert!(files > 150, "{files} files");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn there_and_back(text: &str, format: Format, root: &[String]) -> Result<(), String> {
    let target = |keys: &[&str]| Target { root: root.to_vec(), keys: strings(keys), list: false };
    let set = |keys: &[&str], value: serde_json::Value| Change::Set {
        target: target(keys),
        value,
        place: Place::Last,
        missing: Missing::Create,
    };
    let step = |text: &str, change: &Change| {
        apply(text, format, change).map(|edited| edited.text).map_err(|error| format!("{change:?}: {error}"))
    };
    let entry = serde_json::json!({"command": "npx", "args": ["-y", "a b"], "env": {"A_B": "1"}, "n": 3});
    let added = step(text, &set(&["z"], entry))?;
    let changes = [
        set(&["z", "command"], "uvx".into()),
        set(&["z", "env", "C"], "\"quoted\" # text".into()),
        set(&["z", "args"], serde_json::json!(["x"])),
        Change::set_flag(root, "z", "enabled", false),
        Change::remove_flag(root, "z", "enabled"),
        Change::Remove { target: target(&["z", "env", "A_B"]) },
        Change::Rename { target: target(&["z"]), to: "zz".to_owned() },
    ];
    let mut now = added;
    for change in &changes {
        now = step(&now, change)?;
    }
    let whole = [
        serde_json::json!({"command": "uvx", "args": ["x", "y"], "env": {"C": "1", "D": "2"}, "n": 3}),
        serde_json::json!({"args": ["w", "x", "y"], "n": 3.5, "headers": {"X": "1"}}),
        serde_json::json!({"url": "https://h/", "args": ["y"], "headers": {"Y": "#"}}),
    ];
    for value in whole {
        now = step(&now, &set(&["zz"], value))?;
        now = step(&now, &Change::ListAdd { target: target(&["zz", "args"]), item: "- v".to_owned() })?;
    }
    now = step(
        &now,
        &Change::ListRemove { target: target(&["zz", "args"]), item: "y".to_owned(), prune: None },
    )?;
    let back = step(&now, &Change::Remove { target: target(&["zz"]) })?;
    if back == text { Ok(()) } else { Err(format!("other bytes:\n{}", first_difference(text, &back))) }
}

fn first_difference(old: &str, new: &str) -> String {
    let at = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let start = (0..=at.saturating_sub(30)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text[start..].chars().take(80).collect::<String>()
    };
    format!("  was {:?}\n  is  {:?}", around(old), around(new))
}

/// Every server of every real file, set anew with a little more, and as it was again: only its own bytes change, and
/// they come back.
#[test]
fn setting_a_server_anew_and_back_returns_the_bytes_of_every_real_file() {
    let Some(folder) = corpus() else { return };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut servers, mut exceptions, mut failures) = (0, 0, Vec::new());
    for path in paths {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json" | "jsonc") => JSON,
            Some("toml") => Format::Toml,
            Some("yaml") => Format::Yaml,
            _ => continue,
        };
        #[expect(clippy::disallowed_methods, reason = "a test that reads its samples")]
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for root in ROOTS {
            let target = |keys: &[&str]| Target { root: strings(root), keys: strings(keys), list: false };
            let root_target = Target { root: Vec::new(), keys: strings(root), list: false };
            let Some(Value::Object(entries)) = seen(text, format, &root_target) else { continue };
            for (name, old) in &entries {
                let Value::Object(fields) = old else { continue };
                servers += 1;
                let mut new = fields.clone();
                if let Some(Value::Array(args)) = new.get_mut("args") {
                    args.insert(args.len() / 2, "--new".into());
                }
                new.insert("zz new".to_owned(), serde_json::json!("x"));
                if let Err(error) = set_and_back(text, format, &target(&[name]), old, &Value::Object(new)) {
                    match error {
                        EditError::Unsupported { why, .. } if is_exception(&path, name, why) => {
                            exceptions += 1
                        }
                        error => failures.push(format!("{file} {name}: {error}")),
                    }
                }
            }
        }
    }
    assert!(servers > 200, "{servers} servers");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(exceptions, EXCEPTIONS.len(), "an exception no longer applies");
}

/// Refused if the change is; what else goes wrong is a failure of the test.
fn set_and_back(
    text: &str,
    format: Format,
    target: &Target,
    old: &Value,
    new: &Value,
) -> Result<(), EditError> {
    let set = |text: &str, value: &Value| {
        let change = Change::Set {
            target: target.clone(),
            value: value.clone(),
            place: Place::Last,
            missing: Missing::Refuse,
        };
        apply(text, format, &change).map(|edited| edited.text)
    };
    let there = set(text, new)?;
    assert_eq!(seen(&there, format, target).as_ref(), Some(new), "reads otherwise:\n{there}");
    let back = set(&there, old)?;
    assert!(back == text, "other bytes:\n{}", first_difference(text, &back));
    Ok(())
}
