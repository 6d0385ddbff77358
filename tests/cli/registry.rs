//! `add --registry`: from words to a server in a file.

use axum::Router;
use serde_json::Value;

use crate::fake_registry::Registry;
use crate::support::Home;

/// A home whose settings name a registry on this machine. The registry runs as long as the runtime.
fn home() -> (Home, tokio::runtime::Runtime, Registry) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let registry = runtime.block_on(Registry::start(Router::new()));
    let home = Home::new();
    home.write(
        "home/.config/jackfield/settings.json",
        &format!("{{\"registry_url\": \"{}\"}}", registry.url("")),
    );
    (home, runtime, registry)
}

fn servers(home: &Home, path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.path(path)).unwrap()).unwrap()
}

#[test]
fn words_search_and_a_name_adds() {
    let (home, _runtime, registry) = home();
    let found = home.jackfield(&["add", "--registry", "weather"]).exits(0);
    assert!(found.stdout.contains("io.github.someone/mcp-server-weather"), "{found:#?}");
    let none = home.jackfield(&["add", "--registry", "nothing-of-that-kind"]).exits(1);
    assert!(none.stderr.contains("no server whose name has `nothing-of-that-kind`"), "{none:#?}");

    let asked = home.jackfield(&["add", "--registry", "com.example/files-mcp", "--host", "cursor"]).exits(2);
    insta::assert_snapshot!("what_is_asked_for", asked.stderr);

    home.jackfield(&["add", "--registry", "io.github.someone/mcp-server-weather", "--host", "cursor", "w"])
        .exits(0);
    let written = servers(&home, "home/.cursor/mcp.json");
    insta::assert_json_snapshot!("from_the_registry", written);
    assert!(!registry.asked().iter().any(|uri| uri.contains("cursor")), "nothing is told about this machine");
}

#[test]
fn a_choice_is_made_by_name_and_a_dry_run_writes_nothing() {
    let (home, _runtime, _registry) = home();
    let args = ["add", "--registry", "com.example/mcp", "--choice", "remote.7"];
    let wrong = home.jackfield(&args).exits(1);
    insta::assert_snapshot!("ways_to_run", wrong.stderr);
    let shown = home
        .jackfield(&["add", "--registry", "io.github.someone/mcp-server-weather", "--dry-run", "--set", "env.WEATHER_KEY=k"])
        .exits(0);
    assert!(shown.stdout.contains("uvx"), "{shown:#?}");
    assert!(!home.path("home/.xcsh/mcp.json").exists());
}

#[test]
fn a_registry_that_is_away_is_told_with_what_to_do() {
    let (home, runtime, registry) = home();
    drop(registry);
    drop(runtime);
    let away = home.jackfield(&["add", "--registry", "weather"]).exits(1);
    assert!(away.stderr.contains("The registry cannot be reached"), "{away:#?}");
    assert!(away.stderr.contains("registry_url"), "{away:#?}");
}
