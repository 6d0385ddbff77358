use std::fmt::Write as _;

use super::*;
use crate::diagnostic::Code;
use crate::read::testing::{line, read};

struct Case<'a> {
    files: &'a [(&'a str, &'a str)],
    project_config: bool,
    filter_exa: bool,
    approved: bool,
    order: &'a [&'a str],
    last_denylist: &'a [&'a str],
}

const PLAIN: Case<'_> = Case {
    files: &[],
    project_config: true,
    filter_exa: true,
    approved: true,
    order: &[],
    last_denylist: &[],
};

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn merged(case: &Case<'_>) -> Catalog {
    let readings = case.files.iter().map(|(path, text)| read(path, text)).collect();
    merge(
        readings,
        &Policy {
            hosts_order: &strings(case.order),
            project_config: case.project_config,
            filter_exa: case.filter_exa,
            exa_allowed: &strings(&["allowed"]),
            approved: &|_| case.approved,
            last_denylist: &strings(case.last_denylist),
        },
    )
}

fn check(case: &Case<'_>) -> String {
    let catalog = merged(case);
    let mut text = String::new();
    for entry in &catalog.entries {
        let judgement = match &entry.judgement {
            Judgement::Shadowed { by, differs } => {
                let by = catalog.get(by).unwrap().definition.source.path.display().to_string();
                format!("shadowed by {by}, differs in {differs:?}")
            }
            other => format!("{other:?}"),
        };
        let definition = &entry.definition;
        let _ = writeln!(text, "{} {} → {judgement}", definition.source.path.display(), line(definition));
        for origin in &definition.origins {
            let from = catalog.sources.iter().find(|reading| reading.spec.id == origin.source).unwrap();
            let _ = writeln!(text, "    {} from {}", origin.field, from.spec.path.display());
        }
    }
    for finding in catalog.diagnostics.iter().filter(|finding| finding.severity != crate::Severity::Warning) {
        let _ = writeln!(text, "{}: {}", finding.code, finding.title);
    }
    let _ = writeln!(text, "denied: {:?}\n", catalog.denylist);
    text
}

const A: &str = r#"{"mcpServers":{"a":{"command":"x"}}}"#;
const A_HTTP: &str = r#"{"mcpServers":{"a":{"type":"http","url":"https://h"}}}"#;

#[test]
fn judgements() {
    let across: &[(&str, &str)] = &[
        (".mcp.json", A),
        ("~/.cursor/mcp.json", A_HTTP),
        ("~/.xcsh/mcp.json", r#"{"mcpServers":{"a":{"command":"x","args":["1"],"enabled":false}}}"#),
    ];
    let lists: &[(&str, &str)] = &[
        ("~/.xcsh/mcp.json", r#"{"disabledServers":["d"],"mcpServers":{"d":{"command":"x"}}}"#),
        ("~/.xcsh/agent/mcp.json", r#"{"disabledServers":["e"],"mcpServers":{"e":{"command":"y"}}}"#),
        (
            "~/.gemini/settings.json",
            r#"{"mcp":{"excluded":["g"],"allowed":["g","i"]},"mcpServers":{"g":{"command":"z"},"h":{"command":"w"},"i":{"command":"v"}}}"#,
        ),
    ];
    let exa = r#"{"mcpServers":{"Exa":{"command":"x"},"other":{"command":"npx","args":["https://mcp.exa.ai/mcp?exaApiKey=k"]},"allowed":{"type":"http","url":"https://mcp.exa.ai/mcp"}}}"#;
    let cases = [
        ("precedence", Case { files: across, ..PLAIN }),
        ("the user's order", Case { files: across, order: &["mcp.json", "cursor"], ..PLAIN }),
        ("not approved", Case { files: &[("mcp.json", A), (".mcp.json", A)], approved: false, ..PLAIN }),
        (
            "an unapproved project shadows nothing",
            Case {
                files: &[(".cursor/mcp.json", A), ("~/.cursor/mcp.json", A_HTTP)],
                approved: false,
                ..PLAIN
            },
        ),
        (
            "project off",
            Case {
                files: &[(".cursor/mcp.json", A), ("~/.cursor/mcp.json", A_HTTP)],
                project_config: false,
                ..PLAIN
            },
        ),
        (
            "an invalid one shadows nothing",
            Case {
                files: &[("~/.xcsh/mcp.json", r#"{"mcpServers":{"a":{}}}"#), ("~/.cursor/mcp.json", A)],
                ..PLAIN
            },
        ),
        ("lists", Case { files: lists, ..PLAIN }),
        (
            "broken denylist",
            Case {
                files: &[("~/.xcsh/mcp.json", "{"), ("~/.cursor/mcp.json", A)],
                last_denylist: &["a"],
                ..PLAIN
            },
        ),
        ("exa", Case { files: &[("~/.xcsh/mcp.json", exa)], ..PLAIN }),
        ("exa, not filtered", Case { files: &[("~/.xcsh/mcp.json", exa)], filter_exa: false, ..PLAIN }),
        (
            "look-alikes",
            Case {
                files: &[
                    ("~/.xcsh/mcp.json", A_HTTP),
                    ("~/.cursor/mcp.json", r#"{"mcpServers":{"b":{"url":"https://h/"}}}"#),
                ],
                ..PLAIN
            },
        ),
    ];
    let text: String = cases.iter().map(|(what, case)| format!("== {what}\n{}", check(case))).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn layers() {
    let codex: &[(&str, &str)] = &[
        (
            ".codex/config.toml",
            "[mcp_servers.a]\nenabled = false\n[mcp_servers.a.env]\nB = \"2\"\n[mcp_servers.b]\nurl = \"https://h\"\n",
        ),
        (
            "~/.codex/config.toml",
            "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nA = \"1\"\n[mcp_servers.b]\ncommand = \"y\"\n",
        ),
        ("/etc/codex/config.toml", "[mcp_servers.a]\nargs = [\"s\"]\ncommand = \"system\"\n"),
    ];
    let opencode: &[(&str, &str)] = &[
        (
            "opencode.json",
            r#"{"mcp":{"a":{"enabled":false},"servers":{"b":{"type":"local","command":["x"]}}}}"#,
        ),
        (
            "~/.config/opencode/opencode.json",
            r#"{"mcp":{"a":{"type":"local","command":["x"]},"servers":{"b":{"type":"local","command":["y"],"environment":{"A":"1"}}}}}"#,
        ),
    ];
    let kilo: &[(&str, &str)] = &[
        ("kilo.json", r#"{"mcp":{"a":{"enabled":false},"b":{"enabled":true}}}"#),
        (
            "~/.config/kilo/kilo.json",
            r#"{"mcp":{"a":{"type":"local","command":["x"],"environment":{"K":"v"}},"b":{"type":"remote","url":"https://h","enabled":false}}}"#,
        ),
    ];
    let cases = [
        ("a switch over another file", Case { files: kilo, ..PLAIN }),
        ("a switch of a project that is not approved", Case { files: kilo, approved: false, ..PLAIN }),
        ("codex", Case { files: codex, ..PLAIN }),
        ("codex, project not approved", Case { files: codex, approved: false, ..PLAIN }),
        ("opencode", Case { files: opencode, ..PLAIN }),
    ];
    let text: String = cases.iter().map(|(what, case)| format!("== {what}\n{}", check(case))).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn keys_for_exa() {
    let text = r#"{"mcpServers":{"a":{"command":"x","args":["https://mcp.exa.ai/mcp?exaApiKey=k&x=1"]},"exa":{"command":"x","env":{"EXA_API_KEY":"e"}},"c":{"command":"x"}}}"#;
    let keys: Vec<Option<String>> =
        read("~/.xcsh/mcp.json", text).definitions.iter().map(|definition| exa_key(definition)).collect();
    assert_eq!(keys, [Some("k".to_owned()), Some("e".to_owned()), None]);
}

#[test]
fn look_alikes_are_told_once() {
    let servers = |list: &[(&str, &str)]| {
        let members: Vec<String> = list.iter().map(|(name, entry)| format!("\"{name}\": {entry}")).collect();
        format!("{{\"mcpServers\": {{{}}}}}", members.join(", "))
    };
    let x = r#"{"command": "x", "args": ["1"]}"#;
    let with = |env: &str| format!(r#"{{"command": "x", "env": {{{env}}}}}"#);
    let (one, other) = (with(r#""A": "1", "B": "2""#), with(r#""A": "2", "B": "2""#));
    let turned = with(r#""B": "2", "A": "1""#);
    type Servers<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(Servers<'_>, &[&str])] = &[
        (&[("a", x)], &[]),
        (&[("a", x), ("b", x)], &["`a` and `b` go to the same place"]),
        (&[("a", x), ("b", x), ("c", x)], &["`a`, `b` and `c` go to the same place"]),
        (&[("a", x), ("b", x), ("c", x), ("d", x)], &["`a`, `b`, `c` and 1 more go to the same place"]),
        (
            &[("a", x), ("b", x), ("c", x), ("d", x), ("e", x)],
            &["`a`, `b`, `c` and 2 more go to the same place"],
        ),
        (&[("a", &one), ("b", &other)], &[]),
        (&[("a", &one), ("b", &turned)], &["`a` and `b` go to the same place"]),
        (&[("a", r#"{"command": "x"}"#), ("b", r#"{"command": "x", "args": ["A=1"]}"#)], &[]),
    ];
    for (list, expected) in cases {
        let text = servers(list);
        let catalog = merged(&Case { files: &[("~/.cursor/mcp.json", &text)], ..PLAIN });
        let found = catalog.diagnostics.iter().filter(|finding| finding.code == crate::Code::LookAlike);
        let titles: Vec<&str> = found.map(|finding| finding.title.as_str()).collect();
        assert_eq!(titles, *expected, "{text}");
    }
}

/// An extension's server and a lone switch stand in nobody's way.
#[test]
fn what_is_provided_elsewhere_does_not_run_and_shadows_nothing() {
    let files: &[(&str, &str)] = &[
        (
            ".zed/settings.json",
            r#"{"context_servers":{"a":{"settings":{}},"b":{"enabled":false,"settings":{}}}}"#,
        ),
        ("opencode.json", r#"{"mcp":{"a":{"enabled":false}}}"#),
        ("~/.cursor/mcp.json", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}"#),
    ];
    for approved in [true, false] {
        let catalog = merged(&Case { files, approved, ..PLAIN });
        let of = |host: &str| -> Vec<&Judgement> {
            let own = |entry: &&Entry| entry.definition.source.host.id == host;
            catalog.entries.iter().filter(own).map(|entry| &entry.judgement).collect()
        };
        assert_eq!(of("cursor"), [&Judgement::Run, &Judgement::Run]);
        for judgement in of("zed").into_iter().chain(of("opencode")) {
            assert!(matches!(judgement, Judgement::Elsewhere { .. }), "{judgement:?}");
        }
        assert_eq!(catalog.by_name("a").unwrap().definition.source.host.id, "cursor");
        let errors = catalog.diagnostics.iter().filter(|found| found.severity == crate::Severity::Error);
        assert_eq!(errors.count(), 0);
    }
}

/// Claude Code reads the organisation's file alone; what other tools have is theirs.
#[test]
fn an_exclusive_file_sets_the_others_aside() {
    let managed = r#"{"mcpServers":{"m":{"command":"x"}}}"#;
    let files: &[(&str, &str)] = &[
        ("/etc/claude-code/managed-mcp.json", managed),
        ("~/.claude.json", A),
        ("~/.cursor/mcp.json", A_HTTP),
    ];
    let told = |files| -> Vec<(String, &'static str, bool)> {
        let catalog = merged(&Case { files, ..PLAIN });
        let entry = |entry: &Entry| {
            let (definition, run) = (&entry.definition, entry.judgement == Judgement::Run);
            (definition.name.clone(), definition.source.host.id, run)
        };
        catalog.entries.iter().map(entry).collect()
    };
    let row = |name: &str, host, run| (name.to_owned(), host, run);
    assert_eq!(
        told(files),
        [row("m", "claude-code", true), row("a", "claude-code", false), row("a", "cursor", true)]
    );
    assert_eq!(told(&files[1..]), [row("a", "claude-code", true), row("a", "cursor", false)]);
    let catalog = merged(&Case { files, ..PLAIN });
    let by = "/etc/claude-code/managed-mcp.json, beside which Claude Code reads no other file";
    assert_eq!(catalog.entries[1].judgement, Judgement::HostDisabled { by: by.to_owned() });
}

/// What Claude Code's settings say of servers that are in its other files.
#[test]
fn claude_settings() {
    const TWO: &str = r#"{"mcpServers":{"a":{"command":"x","args":["1"]},"b":{"type":"http","url":"https://h.example/mcp"}}}"#;
    const SHARED: &str = r#"{"mcpServers":{"s":{"command":"x"}}}"#;
    const MANAGED: &str = "/etc/claude-code/managed-settings.json";
    let off = |files: &[(&str, &str)]| {
        let catalog = merged(&Case { files, ..PLAIN });
        let text = catalog.entries.iter().map(|entry| match &entry.judgement {
            Judgement::HostDisabled { by } => format!("{}: {by}", entry.definition.name),
            Judgement::Run => format!("{}: on", entry.definition.name),
            other => format!("{}: {other:?}", entry.definition.name),
        });
        text.collect::<Vec<_>>()
    };
    let user = "~/.claude.json";
    let denied = "`deniedMcpServers` in /etc/claude-code/managed-settings.json";
    let allowed = "`allowedMcpServers` in /etc/claude-code/managed-settings.json, which does not name it";
    let cases: &[(&str, &str, [&str; 2])] = &[
        (MANAGED, r#"{"deniedMcpServers":[{"serverName":"a"}]}"#, [denied, "on"]),
        (MANAGED, r#"{"deniedMcpServers":[{"serverCommand":["x","1"]}]}"#, [denied, "on"]),
        (MANAGED, r#"{"deniedMcpServers":[{"serverCommand":["x"]}]}"#, ["on", "on"]),
        (MANAGED, r#"{"deniedMcpServers":[{"serverUrl":"https://*.example/*"}]}"#, ["on", denied]),
        (MANAGED, r#"{"allowedMcpServers":[]}"#, [allowed, allowed]),
        (MANAGED, r#"{"allowedMcpServers":[{"serverName":"a"}]}"#, ["on", allowed]),
        // With a command on the list, a name does not open the way for another program.
        (
            MANAGED,
            r#"{"allowedMcpServers":[{"serverName":"a"},{"serverCommand":["y"]}]}"#,
            [allowed, allowed],
        ),
        (
            MANAGED,
            r#"{"allowedMcpServers":[{"serverName":"a"},{"serverName":"b"}],"deniedMcpServers":[{"serverName":"b"}]}"#,
            ["on", denied],
        ),
        // Only the organisation's file has these lists.
        ("~/.claude/settings.json", r#"{"deniedMcpServers":[{"serverName":"a"}]}"#, ["on", "on"]),
        (".claude/settings.json", r#"{"allowedMcpServers":[]}"#, ["on", "on"]),
        (MANAGED, r#"{"deniedMcpServers":7,"allowedMcpServers":"x","enabledPlugins":[]}"#, ["on", "on"]),
    ];
    for (path, text, want) in cases {
        let want = [format!("a: {}", want[0]), format!("b: {}", want[1])];
        assert_eq!(off(&[(path, text), (user, TWO)]), want, "{path} {text}");
    }
    let list = r#"{"disabledMcpjsonServers":["s"]}"#;
    for path in ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json", MANAGED] {
        let found = off(&[(path, list), (".mcp.json", SHARED)]);
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with("s: `disabledMcpjsonServers` in ")),
            "{found:?}"
        );
        // It is of the servers of `.mcp.json` alone.
        assert_eq!(off(&[(path, list), (user, SHARED)]), ["s: on"]);
    }
    let on = (".claude/settings.local.json", r#"{"enabledPlugins":{"p@m":true}}"#);
    let not = ("~/.claude/settings.json", r#"{"enabledPlugins":{"p@m":false,"q@m":true}}"#);
    let plugin = |files: &[(&str, &str)]| {
        let mut readings: Vec<SourceReading> = files.iter().map(|(path, text)| read(path, text)).collect();
        let mut spec = (*read("~/.claude.json", "{}").spec).clone();
        spec.path = std::sync::Arc::new("/home/u/.claude/plugins/cache/m/p/1.0/.mcp.json".into());
        spec.scope = crate::host::Scope::Plugin;
        readings.push(crate::read::testing::read_bytes(&std::sync::Arc::new(spec), SHARED.as_bytes()));
        let settings: Vec<_> = readings.iter().filter_map(|reading| reading.claude.as_ref()).collect();
        readings
            .iter()
            .flat_map(|reading| &reading.definitions)
            .find_map(|found| claude::off(&settings, found))
    };
    assert_eq!(plugin(&[not]), Some("`enabledPlugins` in ~/.claude/settings.json".to_owned()));
    assert_eq!(plugin(&[on, not]), None, "the nearest file decides");
    assert_eq!(plugin(&[]), None);
}

/// Servers in Claude Code's settings are nobody's.
#[test]
fn servers_in_claude_settings_are_told_and_not_read() {
    for (path, place) in
        [("~/.claude/settings.json", "~/.claude.json"), (".claude/settings.json", "`.mcp.json`")]
    {
        let reading =
            read(path, "{\n  \"model\": \"x\",\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}}\n}");
        assert!(reading.definitions.is_empty());
        let [found] = reading.diagnostics.as_slice() else { panic!("{:#?}", reading.diagnostics) };
        assert_eq!(found.code, Code::UnreadFile);
        assert_eq!(found.position.map(|at| (at.line, at.column)), Some((3, 3)));
        assert!(found.detail.contains(place), "{}", found.detail);
        assert!(read(path, "{\"mcpServers\": {}}").diagnostics.is_empty());
    }
}
