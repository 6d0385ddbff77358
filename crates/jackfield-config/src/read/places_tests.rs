//! Places that are read otherwise than a tool's usual file: scripts, variables, settings of something larger, and the
//! file that Claude Code shares.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::testing::{places, read, show, source};
use super::{Content, read_source};
use crate::diagnostic::Code;
use crate::edit::plan::{self, PlanError};
use crate::places::Places;
use crate::source::{Encoding, SourceReading, SourceText};
use crate::{Severity, catalog, discover, draft};

#[test]
fn more_places() {
    let cases: &[(&str, &str)] = &[
        (
            "~/.config/crush/crushrc",
            "# servers\nprovider add ollama --type ollama\n\nmcp add github --type http \\\n  --url \"https://h/mcp/\" \\\n  --header Authorization \"Bearer $GH_PAT\"\nmcp add files --command npx --args -y --args \"@m/files\" --env ROOT \"$HOME\" --timeout 20\nmcp add off --command x --disabled true\nif [[ $HOSTNAME == squid ]]; then\n  mcp add work --command y\nfi\nmcp rm files\n",
        ),
        (".crushrc", "mcp add a --command 'x"),
        (
            "reasonix.toml",
            "default_model = \"m\"\n\n[[plugins]]\nname = \"example\"\ncommand = \"reasonix-plugin-example\"\n\n[[plugins]]\nname = \"stripe\"\ntype = \"http\"\nurl = \"https://mcp.stripe.com\"\nheaders = { Authorization = \"Bearer ${STRIPE_KEY}\" }\n",
        ),
        (
            "~/.config/Code/User/profiles/p/settings.json",
            "{\n  // moved by newer versions\n  \"mcp\": {\"servers\": {\"a\": {\"command\": \"x\"}},},\n}\n",
        ),
        (
            "~/.kiro/agents/dev.json",
            r#"{"name": "dev", "mcpServers": {"a": {"command": "x", "disabled": true}}}"#,
        ),
        (
            "/etc/codex/requirements.toml",
            "[mcp_servers.docs.identity]\ncommand = \"docs-mcp\"\n\n[mcp_servers.web.identity]\nurl = \"https://h\"\n",
        ),
        (
            "~/.codex/config.toml",
            "profile = \"ha\"\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[profiles.ha]\nmodel = \"m\"\n\n[profiles.ha.mcp_servers.b]\ncommand = \"y\"\n",
        ),
        ("~/.codex/ha.config.toml", "[mcp_servers.a]\nenabled = false\n"),
        (
            "~/.rovodev/config.yml",
            "mcp:\n  mcpConfigPath: ~/.rovodev/mcp.json\n  disabledMcpServers:\n    - a\n",
        ),
        (
            ".mcp.json",
            "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"cwd\": \"/y\", \"env\": {\"T\": \"!pass t\", \"U\": \"u v\"}},\n    \"b\": {\"type\": \"http\", \"url\": \"https://h\", \"headers\": {\"K\": \"!pass k\"}},\n  }\n}\n",
        ),
        // The bare file of the other name is not Claude Code's.
        ("mcp.json", "{\n  // ours\n  \"mcpServers\": {\"a\": {\"command\": \"x\", \"cwd\": \"/y\"},}\n}\n"),
    ];
    let all: String =
        cases.iter().map(|(path, text)| format!("== {path}\n{}", show(&read(path, text)))).collect();
    insta::assert_snapshot!(all);
}

/// What would be strict JSON again by one click.
#[test]
fn the_shared_file_can_be_made_strict() {
    let text = "{\n  // ours\n  \"mcpServers\": {\"a\": {\"command\": \"x\"},}\n}\n";
    let reading = read(".mcp.json", text);
    let refused: Vec<_> =
        reading.diagnostics.iter().filter(|found| found.code == Code::HostRefusesFile).collect();
    assert_eq!(refused.len(), 2);
    assert!(refused.iter().all(|found| found.severity == Severity::Warning && found.fixes.len() == 1));
    let strict = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";
    assert!(read(".mcp.json", strict).diagnostics.iter().all(|found| found.code != Code::HostRefusesFile));
}

fn with_content(text: &str) -> (SourceReading, Places) {
    let name = "OPENCODE_CONFIG_CONTENT".to_owned();
    let places = Places { env: Arc::new(BTreeMap::from([(name, text.to_owned())])), ..places() };
    let all = discover::sources(&places, &[], &discover::NoFolders);
    let spec = Arc::new(all.into_iter().find(|spec| spec.text.is_some()).unwrap());
    let content = SourceText { text: spec.text.as_deref().unwrap().to_owned(), encoding: Encoding::Utf8 };
    (read_source(&spec, Content::Text(&content), &places.home), places)
}

/// The text of a variable is the first that opencode goes by, and nothing can be written to it.
#[test]
fn a_variable_with_servers_in_it() {
    let (reading, places) = with_content(
        r#"{"mcp": {"a": {"type": "local", "command": ["x"], "env": {"K": "v"}}, "b": {"type": "remote", "url": "https://h", "enabled": false}}}"#,
    );
    insta::assert_snapshot!(show(&reading));
    assert_eq!(*reading.spec.path, Path::new("$OPENCODE_CONFIG_CONTENT"));
    assert!(reading.diagnostics.iter().all(|found| found.fixes.is_empty()), "there is no file to write to");
    let first = discover::sources(&places, &[], &discover::NoFolders);
    let first = first.iter().find(|spec| spec.host.id == "opencode").unwrap();
    assert_eq!(first.id, reading.spec.id);

    let catalog = catalog::Catalog { sources: vec![reading.clone()], ..catalog::Catalog::default() };
    let base = draft::Draft::of(&reading.definitions[0]);
    let new = draft::Draft { name: "new".to_owned(), ..base };
    let error = plan::add(&catalog, &reading.spec.id, &new, &places.home).unwrap_err();
    assert_eq!(
        error,
        PlanError::Locked(
            "Cannot edit $OPENCODE_CONFIG_CONTENT: it is the content of a variable, and can only be changed where that is set"
                .to_owned()
        )
    );
}

/// Not every place where servers could be is one to show, or to put them.
#[test]
fn what_is_listed() {
    let missing = |path: &str| {
        let spec = source(path);
        read_source(&spec, Content::Missing, Path::new("/home/u")).is_listed()
    };
    for (path, text, expected) in [
        ("~/.cursor/mcp.json", None, true),
        ("~/.config/Cursor/User/mcp.json", None, false),
        ("~/.config/Cursor/User/mcp.json", Some("{}"), true),
        ("~/.config/Code/User/settings.json", None, false),
        ("~/.config/Code/User/settings.json", Some(r#"{"editor.fontSize": 12}"#), false),
        ("~/.config/Code/User/settings.json", Some(r#"{"mcp": {"servers": {"a": {"command": "x"}}}}"#), true),
        ("~/.hermes/config.yaml", None, false),
        ("~/.hermes/config.yaml", Some("model: m\n"), true),
        (".crushrc", None, false),
        (".crushrc", Some("option debug true\n"), true),
        ("~/.config/crush/crush.json", None, true),
    ] {
        let listed = text.map_or_else(|| missing(path), |text| read(path, text).is_listed());
        assert_eq!(listed, expected, "{path} {text:?}");
    }
}

/// An editor's settings are Amp's, too, and neither speaks of what is the other's.
#[test]
fn settings_that_two_tools_read() {
    let text = r#"{"amp.mcpServers": {"a": {"command": "x"}}, "mcp": {"servers": {"v": {"command": "y"}}}}"#;
    let all = discover::sources(&places(), &[], &discover::NoFolders);
    let read = all.into_iter().filter(|spec| spec.path.ends_with(".vscode/settings.json")).map(|spec| {
        let content = SourceText { text: text.to_owned(), encoding: Encoding::Utf8 };
        let reading = read_source(&Arc::new(spec), Content::Text(&content), Path::new("/home/u"));
        assert_eq!(reading.diagnostics, []);
        let names = reading.definitions.iter().map(|found| found.name.clone()).collect::<Vec<_>>();
        (reading.spec.host.id, names)
    });
    assert_eq!(read.collect::<Vec<_>>(), [("amp", vec!["a".to_owned()]), ("vscode", vec!["v".to_owned()])]);
}

/// On Windows, the file in the home directory is Visual Studio's; with servers of the other kind it is nobody's.
#[test]
fn the_file_in_the_home_directory_on_windows() {
    let places = Places { os: crate::places::Os::Windows, ..places() };
    let all = discover::sources(&places, &[], &discover::NoFolders);
    let found = all.into_iter().find(|spec| *spec.path == Path::new("/home/u/.mcp.json"));
    let spec = Arc::new(found.unwrap());
    let told = |text: &str| {
        let content = SourceText { text: text.to_owned(), encoding: Encoding::Utf8 };
        let reading = read_source(&spec, Content::Text(&content), &places.home);
        let details = reading.diagnostics.iter().map(|found| found.detail.clone()).collect::<Vec<_>>();
        (reading.definitions.len(), details)
    };
    assert_eq!(told(r#"{"servers": {"a": {"command": "x"}}}"#), (1, Vec::new()));
    let (count, details) = told(r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    assert_eq!(count, 0);
    assert_eq!(
        details,
        [
            "Visual Studio sees no servers here. Rename `mcpServers` to `servers`, or move its entries (1). Claude Code reads a .mcp.json in a project only; for all projects use ~/.claude.json."
        ]
    );
}
