//! Variables that the tool fills in itself: filled in where we can know the value, else told and never sent.

use super::shapes_tests::told;
use super::testing::read;
use crate::definition::Transport;
use crate::value::{Piece, ValueExpr, ValueKind};

const PLUGIN: &str = "~/.claude/plugins/cache/my.market/my-plugin/1.2/.mcp.json";
const ROOT: &str = "/home/u/.claude/plugins/cache/my.market/my-plugin/1.2";
const DATA: &str = "/home/u/.claude/plugins/data/my-plugin-my-market";

/// The text with what is known in its place, and variables as they are written.
fn filled(value: &ValueExpr) -> String {
    let ValueKind::Template(pieces) = &value.kind else { return value.raw.clone() };
    let text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Known { value: text, .. } => text.clone(),
        Piece::Var { written, .. } | Piece::WorkspaceFolder { written } => format!("«{written}»"),
        other => format!("{other:?}"),
    };
    pieces.iter().map(text).collect()
}

#[test]
fn a_plugin_of_claude_code_knows_its_folders() {
    let text = r#"{"mcpServers": {
        "a": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/x", "args": ["--db=${CLAUDE_PLUGIN_DATA}/db", "${CLAUDE_PROJECT_DIR}", "${HOME}"], "env": {"NODE_PATH": "${CLAUDE_PLUGIN_DATA}/node_modules"}},
        "b": {"type": "http", "url": "https://h", "headersHelper": "${CLAUDE_PLUGIN_ROOT}/token $HOME"}}}"#;
    let reading = read(PLUGIN, text);
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let Transport::Stdio { command, args, env, .. } = &reading.definitions[0].transport else { panic!() };
    assert_eq!(filled(command), format!("{ROOT}/bin/x"));
    assert_eq!(command.raw, "${CLAUDE_PLUGIN_ROOT}/bin/x");
    let args: Vec<String> = args.iter().map(filled).collect();
    assert_eq!(
        args,
        [format!("--db={DATA}/db"), "«${CLAUDE_PROJECT_DIR}»".to_owned(), "«${HOME}»".to_owned()]
    );
    // Claude Code sets the folders for the server, too.
    let env: Vec<(&str, String)> = env.iter().map(|(name, value)| (name.as_str(), filled(value))).collect();
    let expected = [
        ("NODE_PATH", format!("{DATA}/node_modules")),
        ("CLAUDE_PLUGIN_ROOT", ROOT.to_owned()),
        ("CLAUDE_PLUGIN_DATA", DATA.to_owned()),
    ];
    assert_eq!(env, expected);
    let helper = reading.definitions[1].headers_helper.as_deref();
    assert_eq!(helper, Some(format!("{ROOT}/token $HOME").as_str()));
    // The same words in another version's folder are another definition.
    let other = read(&PLUGIN.replace("1.2", "1.3"), text);
    assert_ne!(reading.definitions[0].hash, other.definitions[0].hash);
}

#[test]
fn what_only_the_owner_can_fill_in_is_never_sent() {
    let cases = [
        (
            ".vscode/mcp.json",
            r#"{"servers": {"a": {"command": "x", "args": ["-p", "${config:ext.port}"], "env": {"P": "${config:ext.port}"}}, "b": {"command": "${command:find}"}, "c": {"url": "https://h/${file}", "headers": {"K": "a ${env:K} ${config:k}"}}, "d": {"command": "x", "cwd": "${workspaceFolder:api}", "envFile": "${fileDirname}/.env"}, "e": {"command": "x", "args": ["${workspaceFolder}${/}${workspaceFolderBasename}"]}}}"#,
            "a: stdio x [-p] [template(${config:ext.port})] P=template(${config:ext.port}) ✗ `args.1` cannot be filled in: `${config:ext.port}` is a setting of the editor, which only the editor looks up ∅ `env.P` cannot be filled in: `${config:ext.port}` is a setting of the editor, which only the editor looks up
b: stdio template(${command:find}) ✗ `command` cannot be filled in: `${command:find}` is a command of the editor, which only the editor runs
c: Auto template(https://h/${file}) K=template(a ${env:K} ${config:k}) ✗ `url` cannot be filled in: `${file}` is about the file that is open in the editor, and only the editor knows which ∅ `headers.K` cannot be filled in: `${config:k}` is a setting of the editor, which only the editor looks up
d: stdio x cwd=template(${workspaceFolder:api}) ✗ `cwd` cannot be filled in: `${workspaceFolder:api}` is one of several folders that are open in the editor, and only the editor knows which ✗ `envFile` cannot be filled in: `${fileDirname}` is about the file that is open in the editor, and only the editor knows which
e: stdio x [template(${workspaceFolder}${/}${workspaceFolderBasename})]",
        ),
        // A variable only is left out, and the server goes on without it.
        (
            ".vscode/mcp.json",
            r#"{"servers": {"a": {"command": "x", "env": {"P": "${config:port}"}}}}"#,
            "a: stdio x P=template(${config:port}) ∅ `env.P` cannot be filled in: `${config:port}` is a setting of the editor, which only the editor looks up",
        ),
        (
            ".mcp.json",
            r#"{"mcpServers": {"a": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/x.js"]}, "b": {"command": "x", "args": ["${CLAUDE_PLUGIN_ROOT:-.}"]}}}"#,
            "a: stdio node [template(${CLAUDE_PLUGIN_ROOT}/x.js)] ✗ `args.0` cannot be filled in: `${CLAUDE_PLUGIN_ROOT}` is a folder of a plugin of Claude Code, and this file belongs to no plugin\nb: stdio x [template(${CLAUDE_PLUGIN_ROOT:-.})]",
        ),
        // Also where the tool would send the text as it stands.
        (
            "~/.config/Claude/claude_desktop_config.json",
            r#"{"mcpServers": {"a": {"command": "${CLAUDE_PLUGIN_DATA}/x"}, "b": {"command": "x", "env": {"D": "${CLAUDE_PLUGIN_DATA}"}}}}"#,
            "a: stdio template(${CLAUDE_PLUGIN_DATA}/x) ✗ `command` cannot be filled in: `${CLAUDE_PLUGIN_DATA}` is a folder of a plugin of Claude Code, and this file belongs to no plugin\nb: stdio x D=template(${CLAUDE_PLUGIN_DATA}) ∅ `env.D` cannot be filled in: `${CLAUDE_PLUGIN_DATA}` is a folder of a plugin of Claude Code, and this file belongs to no plugin",
        ),
        (
            "~/.gemini/settings.json",
            r#"{"mcpServers": {"a": {"command": "node", "args": ["${extensionPath}${/}x.js"]}}}"#,
            "a: stdio node [template(${extensionPath}${/}x.js)] ✗ `args.0` cannot be filled in: `${extensionPath}` is the folder of an extension, and this file belongs to none",
        ),
        (
            PLUGIN,
            r#"{"mcpServers": {"a": {"type": "http", "url": "https://${user_config.host}/mcp"}, "b": {"type": "http", "url": "https://h", "headersHelper": "get ${user_config.k}"}}}"#,
            "a: Streamable template(https://${user_config.host}/mcp) ✗ `url` cannot be filled in: `${user_config.host}` is an answer that Claude Code keeps for the plugin\nb: Streamable https://h ✗ `headersHelper` cannot be filled in: `${user_config.k}` is an answer that Claude Code keeps for the plugin",
        ),
    ];
    for (path, text, expected) in cases {
        assert_eq!(told(path, text), expected, "{path} {text}");
    }
    let text = r#"{"servers": {"a": {"command": "${config:x}"}}}"#;
    let finding = &read(".vscode/mcp.json", text).diagnostics[0];
    assert_eq!(finding.detail, "Write the value itself in its place.");
    assert_eq!(finding.severity, crate::Severity::Error);
}

#[test]
fn a_command_of_crush_is_run_for_variables_and_headers_only() {
    let text = r#"{"mcp": {"a": {"type": "http", "url": "https://h", "headers": {"Authorization": "Bearer $(pass show (x)) $T"}}, "b": {"type": "stdio", "command": "x", "args": ["$(hostname)"], "env": {"K": "$(get k)"}}}}"#;
    let refused = "a `$(command)` is run for the values of variables and headers only";
    assert_eq!(
        told("~/.config/crush/crush.json", text),
        format!(
            "a: Streamable https://h Authorization=template(Bearer $(pass show (x)) $T)\nb: stdio x [template($(hostname))] K=template($(get k)) ✗ `args.0` cannot be filled in: {refused}"
        )
    );
    let reading = read("~/.config/crush/crush.json", text);
    let Transport::Http { headers, .. } = &reading.definitions[0].transport else { panic!() };
    let run = Piece::Command { command: "pass show (x)".to_owned(), written: "$(pass show (x))".to_owned() };
    let ValueKind::Template(pieces) = &headers[0].1.kind else { panic!() };
    assert!(headers[0].1.runs() && pieces.contains(&run), "{pieces:?}");
    // To every other tool it is text.
    let gemini = r#"{"mcpServers": {"b": {"command": "sh", "args": ["-c", "x $(hostname)"], "env": {"K": "$(get k)"}}}}"#;
    assert_eq!(told("~/.gemini/settings.json", gemini), "b: stdio sh [-c] [x $(hostname)] K=$(get k)");
}

#[test]
fn percent_signs_are_for_variables_and_headers_of_gemini() {
    let servers = |root: &str| {
        format!(
            r#"{{"{root}": {{"a": {{"command": "%BIN%", "env": {{"P": "%APPDATA%\\x", "Q": "50% of 100%"}}}}, "b": {{"url": "https://h", "headers": {{"K": "%TOKEN%"}}}}}}}}"#
        )
    };
    let gemini = |remote: &str| {
        format!(
            "a: stdio %BIN% P=template(%APPDATA%\\x) Q=50% of 100%\nb: {remote} https://h K=template(%TOKEN%)"
        )
    };
    assert_eq!(told("~/.gemini/settings.json", &servers("mcpServers")), gemini("Auto"));
    assert_eq!(told("~/.qwen/settings.json", &servers("mcpServers")), gemini("Sse"));
    let cursor = "a: stdio %BIN% P=%APPDATA%\\x Q=50% of 100%\nb: Auto https://h K=%TOKEN%";
    assert_eq!(told("~/.cursor/mcp.json", &servers("mcpServers")), cursor);
}
