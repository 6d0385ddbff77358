use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::catalog::{self, Catalog, Entry, Policy};
use crate::edit::toggle::{Means, NoPast, Past, outcome, plan};
use crate::places::{Os, Places};
use crate::read::{Content, read_source};
use crate::source::SourceText;

/// A home with these files in it.
fn catalog(project: Option<&str>, files: &[(&str, &str)]) -> Catalog {
    let places = Places {
        os: Os::Linux,
        home: PathBuf::from("/h"),
        system_root: PathBuf::from("/"),
        env: Arc::new(BTreeMap::new()),
        project: project.map(PathBuf::from),
    };
    let readings =
        crate::discover::sources(&places, &[], &crate::discover::NoFolders).into_iter().map(|spec| {
            let spec = Arc::new(spec);
            let text = files.iter().find(|(path, _)| Path::new(path) == spec.path.as_path());
            let text = text.map(|(_, text)| SourceText::decode(text.as_bytes()).unwrap());
            read_source(&spec, text.as_ref().map_or(Content::Missing, Content::Text), &places.home)
        });
    let policy = Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: true,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    };
    catalog::merge(readings.collect(), &policy)
}

fn entry<'c>(catalog: &'c Catalog, host: &str) -> &'c Entry {
    catalog.entries.iter().find(|entry| entry.definition.source.host.id == host).unwrap()
}

/// Path and text of every file after the toggle, and the words.
fn toggle(
    project: Option<&str>,
    files: &[(&str, &str)],
    host: &str,
    on: bool,
    past: &dyn Past,
) -> (Vec<(String, String)>, String) {
    let catalog = catalog(project, files);
    let entry = entry(&catalog, host);
    let edits = plan(&catalog, entry, on, past).unwrap_or_else(|error| panic!("{error}"));
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for edit in &edits {
        let path = edit.path.display().to_string();
        let old = texts
            .get(&path)
            .cloned()
            .or_else(|| files.iter().find(|(other, _)| *other == path).map(|(_, text)| (*text).to_owned()));
        let new = apply_all(&old.unwrap_or_default(), edit.format, &edit.changes).unwrap();
        texts.insert(path, new.text);
    }
    (texts.into_iter().collect(), outcome(&entry.definition, &edits, on, Path::new("/h")))
}

fn check(project: Option<&str>, file: (&str, &str), host: &str, want: (&str, &str), words: &str) {
    let (files, said) = toggle(project, &[file], host, false, &NoPast);
    assert_eq!(files, [(want.0.to_owned(), want.1.to_owned())]);
    assert_eq!(said, words);
    let mut after = vec![file];
    after.retain(|(path, _)| *path != want.0);
    after.push(want);
    let now = catalog(project, &after);
    assert_ne!(entry(&now, host).judgement, crate::Judgement::Run, "it is off");
    let (back, _) = toggle(project, &after, host, true, &Everything);
    let original = if want.0 == file.0 { file.1 } else { "{\n}\n" };
    assert_eq!(back, [(want.0.to_owned(), original.to_owned())]);
}

/// A past in which everything was done by us.
struct Everything;

impl Past for Everything {
    fn inserted(&self, _: &Path, _: Format, _: &Target) -> bool {
        true
    }

    fn created(&self, _: &Path, list: &[String], _: &str) -> Option<Vec<String>> {
        Some(list[..1].to_vec())
    }
}

const SERVERS: &str = r#"{"mcpServers": {"x": {"command": "y"}}}"#;
const DENIED: &str = "{\n  \"disabledServers\": [\"x\"]\n}\n";

#[test]
fn each_host_by_its_own_means() {
    check(
        None,
        ("/h/.xcsh/mcp.json", SERVERS),
        "xcsh",
        ("/h/.xcsh/mcp.json", r#"{"mcpServers": {"x": {"enabled": false, "command": "y"}}}"#),
        "Off. Changed: `~/.xcsh/mcp.json`. xcsh notices when it reloads its MCP servers or starts again.",
    );
    check(
        None,
        ("/h/.codex/config.toml", "[mcp_servers.x]\ncommand = \"y\"\n"),
        "codex",
        ("/h/.codex/config.toml", "[mcp_servers.x]\nenabled = false\ncommand = \"y\"\n"),
        "Off. Changed: `~/.codex/config.toml`. Codex notices when it starts again.",
    );
    check(
        None,
        ("/h/.codeium/windsurf/mcp_config.json", SERVERS),
        "windsurf",
        (
            "/h/.codeium/windsurf/mcp_config.json",
            r#"{"mcpServers": {"x": {"disabled": true, "command": "y"}}}"#,
        ),
        "Off. Changed: `~/.codeium/windsurf/mcp_config.json`. Windsurf notices after Refresh in its MCP panel.",
    );
    check(
        None,
        ("/h/.gemini/settings.json", SERVERS),
        "gemini",
        (
            "/h/.gemini/settings.json",
            r#"{"mcpServers": {"x": {"command": "y"}}, "mcp": {"excluded": ["x"]}}"#,
        ),
        "Off. Changed: `~/.gemini/settings.json`. Gemini CLI notices after `/mcp refresh` or when it starts again.",
    );
    check(
        None,
        ("/h/.cursor/mcp.json", SERVERS),
        "cursor",
        ("/h/.xcsh/mcp.json", DENIED),
        "Off in Jackfield and its gateway; Cursor still starts it itself. Changed: denylist in `~/.xcsh/mcp.json`.",
    );
    check(
        None,
        ("/h/.claude.json", SERVERS),
        "claude-code",
        ("/h/.xcsh/mcp.json", DENIED),
        "Off in Jackfield and its gateway; Claude Code still starts it itself. Changed: denylist in `~/.xcsh/mcp.json`.",
    );
    check(
        Some("/w/p"),
        ("/h/.claude.json", SERVERS),
        "claude-code",
        (
            "/h/.claude.json",
            r#"{"mcpServers": {"x": {"command": "y"}}, "projects": {"/w/p": {"disabledMcpServers": ["x"]}}}"#,
        ),
        "Off. Changed: `~/.claude.json`. Claude Code notices when its next session starts.",
    );
    check(
        Some("/w/p"),
        ("/w/p/.mcp.json", SERVERS),
        "mcp.json",
        ("/w/p/.mcp.json", r#"{"mcpServers": {"x": {"enabled": false, "command": "y"}}}"#),
        "Off in Jackfield and its gateway; Claude Code and other applications that read this file have no such switch and still start it themselves. Changed: `/w/p/.mcp.json`.",
    );
    check(
        Some("/w/p"),
        ("/w/p/mcp.json", SERVERS),
        "mcp.json",
        ("/w/p/mcp.json", r#"{"mcpServers": {"x": {"enabled": false, "command": "y"}}}"#),
        "Off in Jackfield and its gateway; other applications that read this file may not know `enabled` and start it themselves. Changed: `/w/p/mcp.json`.",
    );
    check(
        Some("/w/p"),
        ("/w/p/.claude/mcp.json", SERVERS),
        "claude-code",
        (
            "/h/.claude.json",
            "{\n  \"projects\": {\n    \"/w/p\": {\n      \"disabledMcpServers\": [\"x\"]\n    }\n  }\n}\n",
        ),
        "Off in Jackfield and its gateway; Claude Code does not read this server's file. Changed: `~/.claude.json`.",
    );
    check(
        None,
        ("/h/.claude/mcp.json", SERVERS),
        "claude-code",
        ("/h/.xcsh/mcp.json", DENIED),
        "Off in Jackfield and its gateway; Claude Code does not read this server's file. Changed: denylist in `~/.xcsh/mcp.json`.",
    );
}

#[test]
fn what_others_write_is_left_alone() {
    let managed = "/etc/gemini-cli/settings.json";
    let user = "/h/.gemini/settings.json";
    let files = [(user, "{\n  \"theme\": 1\n}\n"), (managed, SERVERS)];
    let (off, _) = toggle(None, &files, "gemini", false, &NoPast);
    assert_eq!(
        off,
        [(
            user.to_owned(),
            "{\n  \"theme\": 1,\n  \"mcp\": {\n    \"excluded\": [\"x\"]\n  }\n}\n".to_owned()
        )]
    );
}

#[test]
fn claude_codes_choice_about_the_shared_file_counts() {
    let claude = r#"{"projects": {"/w/p": {"disabledMcpjsonServers": ["x", "y"]}}}"#;
    let files = [("/w/p/.mcp.json", SERVERS), ("/h/.claude.json", claude)];
    let catalog = catalog(Some("/w/p"), &files);
    let by = "`disabledMcpjsonServers` of the project in ~/.claude.json".to_owned();
    assert_eq!(entry(&catalog, "mcp.json").judgement, crate::Judgement::HostDisabled { by });
    let (on, _) = toggle(Some("/w/p"), &files, "mcp.json", true, &NoPast);
    let without = r#"{"projects": {"/w/p": {"disabledMcpjsonServers": ["y"]}}}"#;
    assert_eq!(on, [("/h/.claude.json".to_owned(), without.to_owned())]);
}

#[test]
fn a_list_in_claude_codes_settings_is_edited_where_it_stands() {
    let list = r#"{"model": "m", "disabledMcpjsonServers": ["x", "y"]}"#;
    for path in ["/h/.claude/settings.json", "/w/p/.claude/settings.local.json"] {
        let files = [("/w/p/.mcp.json", SERVERS), (path, list)];
        let (on, _) = toggle(Some("/w/p"), &files, "mcp.json", true, &NoPast);
        let without = r#"{"model": "m", "disabledMcpjsonServers": ["y"]}"#;
        assert_eq!(on, [(path.to_owned(), without.to_owned())]);
    }
    // What the organisation switched off is not ours to switch on.
    let files = [("/w/p/.mcp.json", SERVERS), ("/etc/claude-code/managed-settings.json", list)];
    let catalog = catalog(Some("/w/p"), &files);
    let refused = plan(&catalog, entry(&catalog, "mcp.json"), true, &NoPast).unwrap_err();
    assert!(refused.0.ends_with("that cannot be changed here"), "{refused}");
}

#[test]
fn switching_on_says_where() {
    let off = r#"{"mcpServers": {"x": {"enabled": false, "command": "y"}}}"#;
    for (file, host, words) in [
        ("/w/p/.mcp.json", "mcp.json", "On in Jackfield and its gateway. Changed: `/w/p/.mcp.json`."),
        (
            "/h/.xcsh/mcp.json",
            "xcsh",
            "On. Changed: `~/.xcsh/mcp.json`. xcsh notices when it reloads its MCP servers or starts again.",
        ),
    ] {
        let (_, said) = toggle(Some("/w/p"), &[(file, off)], host, true, &NoPast);
        assert_eq!(said, words);
    }
}

#[test]
fn opencode_has_two_shapes() {
    let file = r#"{"mcp": {"servers": {"x": {"type": "local", "command": ["y"]}}}}"#;
    let (files, _) = toggle(None, &[("/h/.config/opencode/opencode.json", file)], "opencode", false, &NoPast);
    assert_eq!(
        files[0].1,
        r#"{"mcp": {"servers": {"x": {"disabled": true, "type": "local", "command": ["y"]}}}}"#
    );
}

#[test]
fn everything_that_holds_a_row_off_is_undone() {
    let file = r#"{"disabledServers": ["a", "x"], "mcpServers": {"x": {"command": "y", "enabled": false}}}"#;
    let agent = r#"{"disabledServers": ["x"]}"#;
    let files = [("/h/.xcsh/mcp.json", file), ("/h/.xcsh/agent/mcp.json", agent)];
    let (after, words) = toggle(None, &files, "xcsh", true, &NoPast);
    assert_eq!(after[0].1, r#"{"disabledServers": []}"#);
    assert_eq!(
        after[1].1,
        r#"{"disabledServers": ["a"], "mcpServers": {"x": {"command": "y", "enabled": true}}}"#
    );
    assert!(words.starts_with("On. Changed: "), "{words}");
}

#[test]
fn rows_without_a_switch_say_why() {
    let files = [("/h/.xcsh/mcp.json", SERVERS), ("/h/.cursor/mcp.json", SERVERS)];
    let catalog = catalog(None, &files);
    let refused = |host, on| plan(&catalog, entry(&catalog, host), on, &NoPast).unwrap_err().to_string();
    assert!(refused("cursor", false).starts_with("Cursor has no switch for `x`"));
    assert_eq!(refused("cursor", true), "`x` is on; another definition of that name is in use");
    assert_eq!(refused("xcsh", true), "`x` is already on");
    let edits = plan(&catalog, entry(&catalog, "xcsh"), false, &NoPast).unwrap();
    assert_eq!(edits[0].means, Means::Flag);
}
