//! Tools' own files that say which servers of other files may run.

use super::*;
use crate::edit;
use crate::edit::toggle::{NoPast, plan};
use crate::read::testing::read;

fn merged(files: &[(&str, &str)]) -> Catalog {
    let policy = Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: true,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    };
    merge(files.iter().map(|(path, text)| read(path, text)).collect(), &policy)
}

fn judged(files: &[(&str, &str)]) -> Vec<String> {
    let shown = |entry: &Entry| match &entry.judgement {
        Judgement::Run => format!("{}: on", entry.definition.name),
        Judgement::HostDisabled { by } => format!("{}: {by}", entry.definition.name),
        other => format!("{}: {other:?}", entry.definition.name),
    };
    merged(files).entries.iter().map(shown).collect()
}

/// Codex starts only what its organisation names, and only if it is what was meant by the name.
#[test]
fn what_an_organisation_lets_codex_start() {
    const SERVERS: &str =
        "[mcp_servers.docs]\ncommand = \"docs-mcp\"\n\n[mcp_servers.web]\nurl = \"https://h\"\n";
    let by = "`mcp_servers` in /etc/codex/requirements.toml";
    let off = |name: &str| format!("{name}: {by}");
    let on = |name: &str| format!("{name}: on");
    for (requirements, expected) in [
        ("", [on("docs"), on("web")]),
        ("allowed_approval_policies = [\"on-request\"]\n", [on("docs"), on("web")]),
        ("[mcp_servers]\n", [off("docs"), off("web")]),
        ("[mcp_servers.docs.identity]\ncommand = \"docs-mcp\"\n", [on("docs"), off("web")]),
        ("[mcp_servers.docs.identity]\ncommand = \"other\"\n", [off("docs"), off("web")]),
        ("[mcp_servers.docs.identity]\nurl = \"https://h\"\n", [off("docs"), off("web")]),
        (
            "[mcp_servers.docs.identity]\ncommand = \"docs-mcp\"\n\n[mcp_servers.web.identity]\nurl = \"https://h\"\n",
            [on("docs"), on("web")],
        ),
    ] {
        let files = [("~/.codex/config.toml", SERVERS), ("/etc/codex/requirements.toml", requirements)];
        assert_eq!(judged(&files), expected, "{requirements}");
    }
    // It says nothing of other tools.
    let cursor = ("~/.cursor/mcp.json", r#"{"mcpServers":{"docs":{"command":"x"}}}"#);
    assert_eq!(judged(&[cursor, ("/etc/codex/requirements.toml", "[mcp_servers]\n")]), [on("docs")]);
}

/// Rovo Dev's list holds a server off, and switching it on takes it from there.
#[test]
fn a_list_in_rovo_devs_settings() {
    let servers = ("~/.rovodev/mcp.json", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#);
    let text = "version: 1\nmcp:\n  disabledMcpServers:\n    - a\n    - c\n";
    let settings = ("~/.rovodev/config.yml", text);
    assert_eq!(
        judged(&[servers, settings]),
        ["a: `mcp.disabledMcpServers` in ~/.rovodev/config.yml", "b: on"]
    );
    let catalog = merged(&[servers, settings]);
    let edits = plan(&catalog, &catalog.entries[0], true, &NoPast).unwrap();
    let [edit] = edits.as_slice() else { panic!("{edits:?}") };
    let after = edit::apply_all(text, edit.format, &edit.changes).unwrap().text;
    assert_eq!(after, "version: 1\nmcp:\n  disabledMcpServers:\n    - c\n");
    let odd = read("~/.rovodev/config.yml", "mcp:\n  disabledMcpServers: a\n");
    assert_eq!(
        odd.diagnostics[0].title,
        "`mcp.disabledMcpServers` must be an array of strings, not a string"
    );
}

/// Claude Code asks the lists of what is off first: what stands on a list of what is on as well stays off.
#[test]
fn claude_codes_lists_of_what_is_on() {
    let shared = (".mcp.json", r#"{"mcpServers":{"s":{"command":"x"}}}"#);
    let off = ("~/.claude/settings.json", r#"{"disabledMcpjsonServers":["s"]}"#);
    let by = "s: `disabledMcpjsonServers` in ~/.claude/settings.json";
    for on in [r#"{"enabledMcpjsonServers":["s"]}"#, r#"{"enableAllProjectMcpServers":true}"#] {
        assert_eq!(judged(&[(".claude/settings.local.json", on), off, shared]), [by], "{on}");
        assert_eq!(judged(&[(".claude/settings.local.json", on), shared]), ["s: on"], "{on}");
    }
    let local = r#"{"mcpServers":{"s":{"command":"x"}},"projects":{"/work/p":{"enabledMcpServers":["s"],"disabledMcpServers":["s"]}}}"#;
    let all = crate::discover::sources(&crate::read::testing::places(), &[], &crate::discover::NoFolders);
    let readings = all
        .into_iter()
        .filter(|spec| spec.path.ends_with(".claude.json"))
        .map(|spec| crate::read::testing::read_bytes(&Arc::new(spec), local.as_bytes()));
    let policy = Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: true,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    };
    let catalog = merge(readings.collect(), &policy);
    let by = "`disabledMcpServers` of the project in ~/.claude.json".to_owned();
    assert_eq!(catalog.entries[0].judgement, Judgement::HostDisabled { by });
}

/// A script is not written to: Jackfield's own list is what is left.
#[test]
fn a_server_of_a_script_is_switched_off_for_jackfield_alone() {
    let script = ("~/.config/crush/crushrc", "mcp add a --command x\n");
    let catalog = merged(&[script, ("~/.xcsh/mcp.json", "{}")]);
    let edits = plan(&catalog, &catalog.entries[0], false, &NoPast).unwrap();
    let [edit] = edits.as_slice() else { panic!("{edits:?}") };
    assert!(edit.path.ends_with(".xcsh/mcp.json"));
    assert_eq!(edit.means, crate::edit::toggle::Means::Denylist);
    let off = merged(&[("~/.config/crush/crushrc", "mcp add a --command x --disabled true\n")]);
    assert_eq!(off.entries[0].judgement, Judgement::Disabled);
    let refused = plan(&off, &off.entries[0], true, &NoPast).unwrap_err();
    assert_eq!(refused.0, "the switch of `a` can only be edited by hand");
}
