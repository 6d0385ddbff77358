use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::catalog::{self, Policy};
use crate::definition::HttpProtocol;
use crate::draft::DraftTransport;
use crate::edit::{EditError, apply_all};
use crate::read::testing::{places, read, source};

mod shapes;

const HOME: &str = "/home/u";

/// A home with these files in it, and every place where a file could be.
struct Disk(BTreeMap<PathBuf, String>, Catalog);

fn disk(files: &[(&str, &str)]) -> Disk {
    let mut readings: Vec<SourceReading> = files.iter().map(|(path, text)| read(path, text)).collect();
    for spec in crate::discover::sources(&places(), &[], &crate::discover::NoFolders) {
        if readings.iter().all(|reading| reading.spec.id != spec.id) {
            let content = crate::read::Content::Missing;
            readings.push(crate::read::read_source(&Arc::new(spec), content, Path::new(HOME)));
        }
    }
    let texts = readings
        .iter()
        .zip(files)
        .map(|(reading, (_, text))| (reading.spec.path.as_path().to_owned(), (*text).to_owned()));
    let texts = texts.collect();
    let policy = Policy {
        hosts_order: &[],
        project_config: true,
        filter_exa: false,
        exa_allowed: &[],
        approved: &|_| true,
        last_denylist: &[],
    };
    Disk(texts, catalog::merge(readings, &policy))
}

impl Disk {
    fn entry(&self, host: &str, name: &str) -> &Entry {
        let fits = |entry: &&Entry| entry.definition.name == name && entry.definition.source.host.id == host;
        self.1.entries.iter().find(fits).unwrap_or_else(|| panic!("no {name} of {host}"))
    }

    /// Path and text of each file after the plan, in the order of its edits.
    fn after(&self, plan: &Plan) -> Result<Vec<(String, String)>, EditError> {
        plan.edits
            .iter()
            .map(|edit| {
                let old = self.0.get(edit.path.as_path()).map_or("", String::as_str);
                let text = apply_all(old, edit.format, &edit.changes)?.text;
                Ok((display_path(Path::new(HOME), &edit.path), text))
            })
            .collect()
    }

    fn add(&self, path: &str, draft: &Draft) -> Result<Plan, PlanError> {
        add(&self.1, &source(path).id, draft, Path::new(HOME))
    }

    fn copy(&self, host: &str, name: &str, to: &str) -> Result<Plan, PlanError> {
        transfer(&self.1, self.entry(host, name), &source(to).id, None, true, Path::new(HOME))
    }

    /// The file after one field of a server was changed.
    fn edited(&self, host: &str, name: &str, change: impl FnOnce(&mut Draft)) -> String {
        let entry = self.entry(host, name);
        let base = Draft::of(&entry.definition);
        let mut draft = base.clone();
        change(&mut draft);
        let plan = edit(&self.1, entry, &base, &draft, Path::new(HOME)).unwrap_or_else(|e| panic!("{e}"));
        self.after(&plan).unwrap_or_else(|e| panic!("{e}: {plan:#?}")).remove(0).1
    }
}

fn command(draft: &mut Draft) -> (&mut String, &mut Vec<String>, &mut Vec<(String, String)>) {
    match &mut draft.transport {
        DraftTransport::Stdio { command, args, env, .. } => (command, args, env),
        DraftTransport::Http { .. } => panic!("not a command"),
    }
}

fn remote(draft: &mut Draft) -> (&mut String, &mut Vec<(String, String)>, &mut HttpProtocol) {
    match &mut draft.transport {
        DraftTransport::Http { url, headers, protocol } => (url, headers, protocol),
        DraftTransport::Stdio { .. } => panic!("not a url"),
    }
}

/// Variables and headers have no order that means anything.
fn sorted(mut draft: Draft) -> Draft {
    match &mut draft.transport {
        DraftTransport::Stdio { env: pairs, .. } | DraftTransport::Http { headers: pairs, .. } => {
            pairs.sort()
        }
    }
    draft
}

fn stdio(name: &str) -> Draft {
    Draft::stdio(name, "npx", vec!["-y".to_owned(), "pkg".to_owned()])
}

#[test]
fn what_is_not_accepted_and_in_which_order() {
    let home = disk(&[
        ("~/.cursor/mcp.json", r#"{"mcpServers":{"here":{"command":"x"},"broken":{"args":[]}}}"#),
        ("~/.codex/config.toml", "[mcp_servers.\n"),
        (
            "~/.config/goose/config.yaml",
            "extensions:\n  developer:\n    type: builtin\n    name: developer\n",
        ),
        ("/etc/claude-code/managed-mcp.json", r#"{"mcpServers":{"m":{"command":"x"}}}"#),
    ]);
    let empty = |name: &str| Draft::stdio(name, "", Vec::new());
    for (path, draft, words) in [
        // The name comes first, then the configuration, then the server of that name.
        ("~/.cursor/mcp.json", empty(""), "Server name cannot be empty"),
        (
            "~/.cursor/mcp.json",
            empty("a b"),
            "Server name can only contain letters, numbers, dash, underscore, and dot",
        ),
        ("~/.cursor/mcp.json", empty("here"), "Invalid server config: Say which program to run"),
        ("~/.cursor/mcp.json", stdio("here"), "Server \"here\" already exists in ~/.cursor/mcp.json"),
        // One that cannot be used is there, too.
        ("~/.cursor/mcp.json", stdio("broken"), "Server \"broken\" already exists in ~/.cursor/mcp.json"),
        ("~/.claude.json", stdio("a.b"), "Claude Code takes letters, numbers, dash and underscore only"),
        ("~/.claude.json", stdio("workspace"), "Claude Code keeps the name `workspace` for itself"),
        (
            "~/.config/Claude/claude_desktop_config.json",
            Draft::http("r", "https://h.example", HttpProtocol::Streamable),
            "Invalid server config: Claude Desktop takes only commands in this file",
        ),
        (
            "/etc/claude-code/managed-mcp.json",
            stdio("n"),
            "/etc/claude-code/managed-mcp.json is managed by your organisation",
        ),
    ] {
        assert_eq!(home.add(path, &draft).unwrap_err().to_string(), words, "{path}");
    }
    let error = home.add("~/.codex/config.toml", &stdio("n")).unwrap_err().to_string();
    assert!(error.starts_with("Cannot edit ~/.codex/config.toml: ") && error.contains("line 1"), "{error}");
    // What is in the file and no server of ours is not written over.
    let plan = home.add("~/.config/goose/config.yaml", &stdio("developer")).unwrap();
    assert_eq!(
        home.after(&plan).unwrap_err().to_string(),
        "`developer` is there already, at line 2, column 3"
    );
}

#[test]
fn a_server_that_was_written_meanwhile_is_not_written_over() {
    for (path, text) in [
        ("~/.cursor/mcp.json", r#"{"mcpServers":{"n":{"command":"theirs"}}}"#),
        ("~/.codex/config.toml", "[mcp_servers.n]\ncommand = \"theirs\"\n"),
        ("~/.codex/config.toml", "mcp_servers.n.command = \"theirs\"\n"),
        ("~/.config/goose/config.yaml", "extensions:\n  n:\n    name: n\n    cmd: theirs\n"),
        ("~/.vibe/config.toml", "[[mcp_servers]]\nname = \"n\"\ncommand = \"theirs\"\n"),
    ] {
        let plan = disk(&[]).add(path, &stdio("n")).unwrap();
        let error = apply_all(text, plan.edits[0].format, &plan.edits[0].changes).unwrap_err();
        assert!(matches!(&error, EditError::Exists { name, .. } if name == "n"), "{path}: {error}");
    }
}

#[test]
fn a_missing_file_is_made_and_the_message_says_what_follows() {
    let plan = disk(&[]).add("~/.cursor/mcp.json", &stdio("n")).unwrap();
    let (path, text) = disk(&[]).after(&plan).unwrap().remove(0);
    assert_eq!(path, "~/.cursor/mcp.json");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value,
        serde_json::json!({"mcpServers": {"n": {"type": "stdio", "command": "npx", "args": ["-y", "pkg"]}}})
    );
    assert_eq!(plan.title, "Added `n`");
    assert!(
        plan.message.starts_with("Added `n` in `~/.cursor/mcp.json`. Cursor notices "),
        "{}",
        plan.message
    );
    let plan = disk(&[]).add(".claude/mcp.json", &stdio("n")).unwrap();
    assert_eq!(plan.notes, ["Claude Code itself does not read this file"]);
    assert_eq!(plan.message, "Added `n` in `/work/p/.claude/mcp.json`.");
}

#[test]
fn names_in_files_may_hold_anything() {
    let text = "{\"mcpServers\": {\n  \"__proto__\": {\"command\": \"a\"},\n  \"a.b/c~d e\": {\"command\": \"b\"}\n}}\n";
    let home = disk(&[("~/.cursor/mcp.json", text)]);
    for name in ["__proto__", "a.b/c~d e"] {
        let after = home.edited("cursor", name, |draft| "new".clone_into(command(draft).0));
        let value: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(value["mcpServers"][name]["command"], "new");
        let entry = home.entry("cursor", name);
        let gone = home.after(&remove(&home.1, entry, Path::new(HOME)).unwrap()).unwrap().remove(0).1;
        assert!(!gone.contains(name) && serde_json::from_str::<Value>(&gone).is_ok(), "{gone}");
        let renamed = rename(&home.1, entry, "plain", Path::new(HOME)).unwrap();
        assert!(home.after(&renamed).unwrap()[0].1.contains("\"plain\": {\"command\""));
    }
}

#[test]
fn edit_brings_two_changes_together_or_says_where_they_meet() {
    let base = disk(&[(
        "~/.cursor/mcp.json",
        r#"{"mcpServers":{"n":{"command":"x","args":["1"],"env":{"A":"1","B":"1"}}}}"#,
    )]);
    let base = Draft::of(&base.entry("cursor", "n").definition);
    let now = disk(&[(
        "~/.cursor/mcp.json",
        r#"{"mcpServers":{"n":{"command":"x","args":["2"],"env":{"A":"2","C":"3"},"own": 1}}}"#,
    )]);
    let entry = now.entry("cursor", "n");
    let mut ours = base.clone();
    "y".clone_into(command(&mut ours).0);
    command(&mut ours).2.push(("D".to_owned(), "4".to_owned()));
    let plan = edit(&now.1, entry, &base, &ours, Path::new(HOME)).unwrap();
    let value: Value = serde_json::from_str(&now.after(&plan).unwrap()[0].1).unwrap();
    assert_eq!(
        value["mcpServers"]["n"],
        serde_json::json!({"command": "y", "args": ["2"], "env": {"A": "2", "C": "3", "D": "4"}, "own": 1})
    );

    *command(&mut ours).1 = vec!["3".to_owned()];
    "9".clone_into(&mut command(&mut ours).2[1].1);
    let error = edit(&now.1, entry, &base, &ours, Path::new(HOME)).unwrap_err();
    let PlanError::Conflict { path, fields } = error else { panic!("{error}") };
    assert_eq!(path, "~/.cursor/mcp.json");
    let shown: Vec<String> =
        fields.iter().map(|f| format!("{} {:?} {:?} {:?}", f.field, f.base, f.ours, f.theirs)).collect();
    assert_eq!(shown, [r#"args Some("1") Some("3") Some("2")"#, r#"env.B Some("1") Some("9") None"#]);
}

#[test]
fn an_entry_is_changed_in_its_own_words() {
    let codex = "[mcp_servers.n]\ncommand = \"x\"\nenv_vars = [\"A\", { name = \"R\", source = \"remote\" }]\nstartup_timeout_ms = 500\n";
    let codex_http = "[mcp_servers.n]\nurl = \"https://h.example\"\nbearer_token_env_var = \"TOK\"\nhttp_headers = { X = \"${LITERAL}\" }\n";
    type Case = (&'static str, &'static str, &'static str, Box<dyn FnOnce(&mut Draft)>);
    let cases: Vec<Case> = vec![
        // Variables of another machine stay; a time stays in its unit.
        (
            "~/.codex/config.toml",
            "codex",
            codex,
            Box::new(|d| command(d).2.push(("B".into(), "${B}".into()))),
        ),
        ("~/.codex/config.toml", "codex", codex, Box::new(|d| command(d).2.clear())),
        (
            "~/.codex/config.toml",
            "codex",
            codex,
            Box::new(|d| d.timeout = Some(std::time::Duration::from_secs(2))),
        ),
        // What Codex takes as text stays text.
        (
            "~/.codex/config.toml",
            "codex",
            codex_http,
            Box::new(|d| remote(d).1.push(("Y".into(), "${Y}".into()))),
        ),
        (
            "~/.codex/config.toml",
            "codex",
            codex_http,
            Box::new(|d| remote(d).1.retain(|(name, _)| name == "X")),
        ),
        ("~/.codex/config.toml", "codex", codex_http, Box::new(|d| *d = stdio("n"))),
        // A key that says the transport.
        (
            "~/.gemini/settings.json",
            "gemini",
            r#"{"mcpServers": {"n": {"httpUrl": "https://h.example", "trust": true}}}"#,
            Box::new(|d| *remote(d).2 = HttpProtocol::Sse),
        ),
        (
            "~/.qwen/settings.json",
            "qwen",
            r#"{"mcpServers": {"n": {"httpUrl": "https://h.example"}}}"#,
            Box::new(|d| *remote(d).2 = HttpProtocol::Sse),
        ),
        (
            "~/.qwen/settings.json",
            "qwen",
            r#"{"mcpServers": {"n": {"url": "https://h.example"}}}"#,
            Box::new(|d| *remote(d).2 = HttpProtocol::Streamable),
        ),
        // A command as an object, a line, a list.
        (
            ".zed/settings.json",
            "zed",
            r#"{"context_servers": {"n": {"source": "custom", "command": {"path": "x", "args": ["1"], "env": {"A": "1"}}}}}"#,
            Box::new(|d| command(d).1.push("2".into())),
        ),
        (
            "~/.vibe/config.toml",
            "vibe",
            "[[mcp_servers]]\nname = \"n\"\ntransport = \"stdio\"\ncommand = \"npx -y 'a b'\"\n",
            Box::new(|d| command(d).1.push("2".into())),
        ),
        (
            "~/.vibe/config.toml",
            "vibe",
            "[[mcp_servers]]\nname = \"n\"\ntransport = \"stdio\"\ncommand = [\"npx\", \"-y\"]\n",
            Box::new(|d| "bunx".clone_into(command(d).0)),
        ),
        (
            "~/.config/opencode/opencode.json",
            "opencode",
            r#"{"mcp": {"servers": {"n": {"type": "local", "command": ["x"]}}}}"#,
            Box::new(|d| d.enabled = false),
        ),
        // A token by the name of its variable.
        (
            "config/mcporter.json",
            "mcporter",
            r#"{"mcpServers": {"n": {"baseUrl": "https://h.example", "bearerTokenEnv": "TOK"}}}"#,
            Box::new(|d| remote(d).1.push(("X".into(), "1".into()))),
        ),
        (
            "config/mcporter.json",
            "mcporter",
            r#"{"mcpServers": {"n": {"baseUrl": "https://h.example", "bearerTokenEnv": "TOK"}}}"#,
            Box::new(|d| remote(d).1.clear()),
        ),
        // What stands beside the headers stays.
        (
            "~/.continue/config.yaml",
            "continue",
            "mcpServers:\n  - name: n\n    url: https://h.example\n    requestOptions:\n      verifySsl: false\n      headers:\n        X: \"1\"\n",
            Box::new(|d| remote(d).1.clear()),
        ),
        // Nothing of the other transport is left.
        (
            "~/.cline/data/settings/cline_mcp_settings.json",
            "cline",
            r#"{"mcpServers": {"n": {"transport": {"type": "sse"}, "url": "https://h.example", "headers": {"X": "1"}, "env": {}, "autoApprove": ["t"]}}}"#,
            Box::new(|d| *d = stdio("n")),
        ),
    ];
    let mut shown = String::new();
    for (path, host, text, change) in cases {
        let home = disk(&[(path, text)]);
        let mut wanted = Draft::of(&home.entry(host, "n").definition);
        change(&mut wanted);
        let after = home.edited(host, "n", |draft| draft.clone_from(&wanted));
        let again = read(path, &after);
        let now = again.definitions.iter().find(|definition| definition.name == "n").unwrap();
        assert_eq!(now.problems, Vec::<String>::new(), "{after}");
        assert_eq!(sorted(Draft::of(now)), sorted(wanted), "{after}");
        shown.push_str(&format!("== {path}\n{}\n-- becomes\n{}\n\n", text.trim_end(), after.trim_end()));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_copy_takes_everything_along_where_the_words_are_the_same() {
    let cursor = r#"{"mcpServers":{"n":{"command":"x","env":{"T":"${env:TOKEN}","P":"${workspaceFolder}/a"},"own":{"k":[1.50]}}}}"#;
    let home = disk(&[("~/.cursor/mcp.json", cursor)]);
    // The same tool.
    let plan = home.copy("cursor", "n", ".cursor/mcp.json").unwrap();
    let value: Value = serde_json::from_str(&home.after(&plan).unwrap()[0].1).unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(cursor).unwrap());
    assert_eq!(plan.notes, Vec::<String>::new());
    // The same words, and no variables.
    let plan = home.copy("cursor", "n", "~/.lmstudio/mcp.json").unwrap();
    let value: Value = serde_json::from_str(&home.after(&plan).unwrap()[0].1).unwrap();
    assert_eq!(value["mcpServers"]["n"]["own"], serde_json::json!({"k": [1.5]}));
    assert_eq!(plan.notes[0], "LM Studio has nothing like `${env:TOKEN}`; the text is written as it stands");
    let lm_studio = r#"{"mcpServers":{"n":{"command":"x","env":{"T":"${env:TOKEN}"},"own":1}}}"#;
    let plan =
        disk(&[("~/.lmstudio/mcp.json", lm_studio)]).copy("lm-studio", "n", "~/.cursor/mcp.json").unwrap();
    assert_eq!(plan.notes, ["Cursor finds a variable in the value of `T`"]);
    // opencode's two shapes differ in the switch only.
    let opencode = r#"{"mcp":{"n":{"type":"local","command":["x"],"enabled":false,"own":1},"servers":{"o":{"type":"remote","url":"https://o.example","disabled":true,"own":2}}}}"#;
    let home = disk(&[("~/.config/opencode/opencode.json", opencode)]);
    let plan = home.copy("opencode", "o", "opencode.json").unwrap();
    let value: Value = serde_json::from_str(&home.after(&plan).unwrap()[0].1).unwrap();
    assert_eq!(
        value["mcp"]["o"],
        serde_json::json!({"type": "remote", "url": "https://o.example", "enabled": false, "own": 2})
    );
}

#[test]
fn a_move_adds_and_then_removes() {
    let home = disk(&[(
        "~/.cursor/mcp.json",
        "{\"mcpServers\": {\n  \"n\": {\"command\": \"x\"},\n  \"o\": {\"command\": \"y\"}\n}}\n",
    )]);
    let to = source("~/.codex/config.toml").id.clone();
    let plan = transfer(&home.1, home.entry("cursor", "n"), &to, Some("m"), false, Path::new(HOME)).unwrap();
    let after = home.after(&plan).unwrap();
    assert_eq!(
        after,
        [
            ("~/.codex/config.toml".to_owned(), "[mcp_servers.m]\ncommand = \"x\"\n".to_owned()),
            (
                "~/.cursor/mcp.json".to_owned(),
                "{\"mcpServers\": {\n  \"o\": {\"command\": \"y\"}\n}}\n".to_owned()
            ),
        ]
    );
    assert!(
        plan.message
            .starts_with("Moved `n` from `~/.cursor/mcp.json` to `~/.codex/config.toml`. Codex notices ")
    );
    // A name that is taken is refused.
    let home = disk(&[
        ("~/.cursor/mcp.json", r#"{"mcpServers":{"n":{"command":"x"}}}"#),
        ("~/.codex/config.toml", "[mcp_servers.n]\ncommand = \"y\"\n"),
    ]);
    let error = home.copy("cursor", "n", "~/.codex/config.toml").unwrap_err().to_string();
    assert_eq!(error, "Server \"n\" already exists in ~/.codex/config.toml");
}

#[test]
fn a_removal_says_who_takes_over() {
    let home = disk(&[
        ("~/.cursor/mcp.json", r#"{"mcpServers":{"n":{"command":"x"}}}"#),
        ("~/.codex/config.toml", "[mcp_servers.n]\ncommand = \"y\"\n"),
    ]);
    let winner = home.1.by_name("n").unwrap();
    let loser = home.1.entries.iter().find(|entry| entry.definition.id != winner.definition.id).unwrap();
    let plan = remove(&home.1, winner, Path::new(HOME)).unwrap();
    let other = loser.definition.source.host.name;
    assert_eq!(plan.notes, [format!("`n` of {other}, user is in use from then on")]);
    assert_eq!(remove(&home.1, loser, Path::new(HOME)).unwrap().notes, Vec::<String>::new());
}
