//! The window may call exactly what the shell answers.

use serde_json::{Value, json};

use crate::tree;

/// The words between two marks.
fn between(text: &str, from: &str, to: &str) -> Vec<String> {
    let list = text.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap_or_default();
    let words = list.split(',').map(|word| word.trim().trim_matches('"'));
    let names = words.filter(|word| !word.is_empty()).map(|word| word.rsplit("::").next().unwrap_or(word));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn the_capability_lists_exactly_the_commands() {
    let shell = tree::root().join("src-tauri");
    let built = between(&tree::text(&shell.join("build.rs")), ".commands(&[", "]");
    assert!(!built.is_empty());
    let answered: Vec<_> = tree::with_ending("src-tauri/src", &["rs"])
        .iter()
        .flat_map(|path| between(&tree::text(path), "generate_handler![", "]"))
        .collect();
    assert_eq!(built, answered, "build.rs and generate_handler! differ");
    let mut allowed = Vec::new();
    for path in tree::with_ending("src-tauri/capabilities", &["json"]) {
        let capability: Value = serde_json::from_str(&tree::text(&path)).unwrap();
        assert_eq!(capability["windows"], json!(["main"]), "{}", tree::name(&path));
        assert_eq!(capability["remote"], Value::Null, "no page of others may call us: {}", tree::name(&path));
        let permissions = capability["permissions"].as_array().unwrap();
        allowed.extend(permissions.iter().map(|permission| permission.as_str().unwrap().to_owned()));
    }
    allowed.sort();
    let wanted: Vec<_> = built.iter().map(|command| format!("allow-{}", command.replace('_', "-"))).collect();
    assert_eq!(allowed, wanted);
}

#[test]
fn the_window_loads_nothing_from_elsewhere() {
    let config: Value =
        serde_json::from_str(&tree::text(&tree::root().join("src-tauri/tauri.conf.json"))).unwrap();
    let security = &config["app"]["security"];
    assert_eq!(config["app"]["withGlobalTauri"], false);
    for (directive, value) in security["csp"].as_object().unwrap() {
        let value = value.as_str().unwrap();
        for word in ["unsafe-inline", "unsafe-eval", "https:", "*"] {
            assert!(!value.contains(word), "{directive}: {value}");
        }
    }
}
