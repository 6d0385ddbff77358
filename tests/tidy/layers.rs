//! Dependencies point one way.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::tree;

/// Each crate, what of ours it may depend on, and what of others' it must not.
const LAYERS: [(&str, &[&str], &[&str]); 7] = [
    ("jackfield-config", &[], &["tokio", "rmcp", "reqwest", "notify", "futures"]),
    ("jackfield-guard", &[], &["tokio", "serde"]),
    ("jackfield-engine", &["jackfield-config"], &["clap", "ts-rs"]),
    ("jackfield-api", &["jackfield-config", "jackfield-engine"], &["clap", "rmcp"]),
    (
        "jackfield-cli",
        &["jackfield-api", "jackfield-config", "jackfield-engine", "jackfield-guard"],
        &["rmcp", "notify"],
    ),
    ("jackfield-desktop", &["jackfield-api", "jackfield-engine", "jackfield-guard"], &["rmcp", "clap"]),
    ("xtask", &[], &["tokio"]),
];

/// What each crate of the workspace depends on, tests apart.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(tree::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let all = package["dependencies"].as_array().unwrap();
            let needed = all.iter().filter(|dependency| dependency["kind"] != "dev");
            (text(&package["name"]), needed.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let all = dependencies();
    let known: Vec<&str> = LAYERS.iter().map(|(name, ..)| *name).collect();
    let unknown: Vec<_> = all.keys().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "say in LAYERS where they belong: {unknown:?}");
    for (name, ours, forbidden) in LAYERS {
        for dependency in &all[name] {
            let wrong = known.contains(&dependency.as_str()) && !ours.contains(&dependency.as_str());
            assert!(!wrong, "`{name}` must not depend on `{dependency}`");
            assert!(!forbidden.contains(&dependency.as_str()), "`{name}` must not depend on `{dependency}`");
            let shell = ["tauri", "gtk", "webbrowser"].iter().any(|word| dependency.starts_with(word));
            assert!(
                !shell || name == "jackfield-desktop",
                "`{name}` depends on `{dependency}`, a matter of the shell"
            );
        }
    }
}

#[test]
fn the_core_of_the_configuration_is_pure() {
    let words = [
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::thread",
        "SystemTime::now",
        "Instant::now",
        "async fn",
    ];
    for path in tree::with_ending("crates/jackfield-config/src", &["rs"]) {
        let name = tree::name(&path);
        let is_test =
            ["/tests/", "/tests.rs", "_tests.rs", "/testing.rs"].iter().any(|part| name.contains(part));
        if is_test {
            continue;
        }
        let text = tree::text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in
            code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            let found = words.iter().find(|word| line.contains(*word));
            assert!(found.is_none(), "{name}:{}: {line}", number + 1);
        }
    }
}

#[test]
fn one_file_of_the_interface_knows_the_shell() {
    for path in tree::with_ending("ui/src", &["ts", "svelte", "js"]) {
        let name = tree::name(&path);
        let knows = tree::text(&path).contains(concat!("@tauri", "-apps/"));
        assert!(!knows || name == "ui/src/backend/tauri.ts", "{name} imports the shell's library");
    }
}
