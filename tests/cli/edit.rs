//! `jackfield enable` and `jackfield disable`: what they change in which file, and that it can be taken back.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Home, fake};

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// Lines that are only in the one, and only in the other.
fn changed(before: &[u8], after: &[u8]) -> (Vec<String>, Vec<String>) {
    let lines = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec()).unwrap().split('\n').map(str::to_owned).collect::<Vec<_>>()
    };
    let (mut gone, mut new) = (lines(before), Vec::new());
    for line in lines(after) {
        match gone.iter().position(|old| *old == line) {
            Some(at) => drop(gone.remove(at)),
            None => new.push(line),
        }
    }
    (gone, new)
}

const XCSH: &str = "{\n  // the servers of the team\n  \"mcpServers\": {\n    /* a */ \"one\": { // first\n      \"command\": \"sh\",\n      \"args\": [\"-c\", \"x\"], // keep\n    },\n    \"two\": { \"command\": \"sh\", \"enabled\": true },\n  },\n  \"later\": [1,2,  3],\n}\n";
const CODEX: &str = "# mine\nmodel = \"gpt\"   # odd   spacing\n\n[mcp_servers.one] # first\ncommand = \"sh\"\nargs = [ \"-c\",\n  \"x\" ]\n\n[mcp_servers.one.env]\nA = 'b'\n\n# second\n[mcp_servers.two]\ncommand = \"sh\"\nenabled = true # yes\n";

/// Switches off and on again: one line differs, then none.
#[track_caller]
fn check(file: &str, text: &str, name: &str, gone: &[&str], new: &[&str]) {
    let home = Home::new();
    let path = home.write(file, text);
    let before = bytes(&path);
    let ran = home.jackfield(&["disable", name]).exits(0);
    assert!(ran.stdout.contains(&file.replacen("home/", "~/", 1)), "it names the file: {ran:#?}");
    let (was, is) = changed(&before, &bytes(&path));
    assert_eq!(
        (
            was.iter().map(String::as_str).collect::<Vec<_>>(),
            is.iter().map(String::as_str).collect::<Vec<_>>()
        ),
        (gone.to_vec(), new.to_vec())
    );
    let list = home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json();
    let server =
        list["servers"].as_array().unwrap().iter().find(|server| server["name"] == name).unwrap().clone();
    assert_eq!(server["reason"], "disabled");
    home.jackfield(&["enable", name]).exits(0);
    assert_eq!(String::from_utf8(bytes(&path)).unwrap(), text, "the bytes return");
}

#[test]
fn a_toggle_changes_one_line_and_takes_it_back() {
    check("home/.xcsh/mcp.json", XCSH, "one", &[], &["      \"enabled\": false,"]);
    check(
        "home/.xcsh/mcp.json",
        XCSH,
        "two",
        &["    \"two\": { \"command\": \"sh\", \"enabled\": true },"],
        &["    \"two\": { \"command\": \"sh\", \"enabled\": false },"],
    );
    check("home/.codex/config.toml", CODEX, "one", &[], &["enabled = false"]);
    check("home/.codex/config.toml", CODEX, "two", &["enabled = true # yes"], &["enabled = false # yes"]);
    let dos = XCSH.replace('\n', "\r\n");
    check("home/.xcsh/mcp.json", dos.trim_end(), "one", &[], &["      \"enabled\": false,\r"]);
}

#[test]
fn cursor_has_no_switch_so_the_denylist_takes_the_name() {
    let home = Home::new();
    let cursor = home.servers("home/.cursor/mcp.json", &[("cur", fake(&[]))]);
    let before = bytes(&cursor);
    let ran = home.jackfield(&["disable", "cur"]).exits(0);
    assert!(
        ran.stdout.contains("Off in Jackfield and its gateway; Cursor still starts it itself"),
        "{ran:#?}"
    );
    assert_eq!(bytes(&cursor), before, "Cursor's own file is not touched");
    let ours: serde_json::Value = serde_json::from_str(&home.read("home/.xcsh/mcp.json")).unwrap();
    assert_eq!(ours["disabledServers"], json!(["cur"]));
    let reason = |home: &Home| {
        home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json()["servers"][0]["reason"].clone()
    };
    assert_eq!(reason(&home), "denied");
    home.jackfield(&["enable", "cur"]).exits(0);
    assert_eq!(reason(&home), "idle");
}

#[test]
fn gemini_is_switched_by_its_own_list() {
    let home = Home::new();
    let text = "{\n  // mine\n  \"theme\": \"x\",\n  \"mcpServers\": {\n    \"gem\": { \"command\": \"sh\" }\n  }\n}\n";
    let path = home.write("home/.gemini/settings.json", text);
    home.jackfield(&["disable", "gem"]).exits(0);
    let now = home.read("home/.gemini/settings.json");
    assert!(now.contains("// mine"), "{now}");
    let parsed: serde_json::Value = serde_json::from_str(&now.replace("// mine", "")).unwrap();
    assert_eq!(parsed["mcp"]["excluded"], json!(["gem"]));
    assert!(!home.path("home/.xcsh/mcp.json").exists(), "the denylist is for tools without a list");
    let list = home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json();
    assert_eq!(list["servers"][0]["reason"], "host_disabled");
    home.jackfield(&["enable", "gem"]).exits(0);
    assert_eq!(String::from_utf8(bytes(&path)).unwrap(), text, "the bytes return");
}

#[test]
fn claude_code_has_a_list_for_a_project_only() {
    let home = Home::new();
    home.write("project/.git/HEAD", "");
    home.servers("home/.claude.json", &[("c", json!({"type": "stdio", "command": "sh"}))]);
    home.in_project(&["disable", "c"]).exits(0);
    let file: serde_json::Value = serde_json::from_str(&home.read("home/.claude.json")).unwrap();
    let project = home.project().display().to_string();
    assert_eq!(file["projects"][&project]["disabledMcpServers"], json!(["c"]), "{file:#}");
    let reason = |list: serde_json::Value| list["servers"][0]["reason"].clone();
    assert_eq!(reason(home.in_project(&["list", "--json", "--no-connect"]).exits(0).json()), "host_disabled");
    assert_eq!(reason(home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json()), "idle");
    let ran = home.jackfield(&["disable", "c"]).exits(0);
    assert!(ran.stdout.contains("Claude Code still starts it itself"), "{ran:#?}");
}

#[test]
fn a_toggle_of_a_named_place_touches_that_place() {
    let home = Home::new();
    let xcsh = home.servers("home/.xcsh/mcp.json", &[("s", json!({"command": "sh"}))]);
    home.write("home/.codex/config.toml", "[mcp_servers.s]\ncommand = \"sh\"\n");
    let before = bytes(&xcsh);
    home.jackfield(&["disable", "s", "--host", "codex"]).exits(0);
    assert_eq!(bytes(&xcsh), before);
    assert!(home.read("home/.codex/config.toml").contains("enabled = false"));
}

#[test]
fn a_symlink_stays_one_and_the_mode_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let target = home.servers("home/dotfiles/mcp.json", &[("s", json!({"command": "sh"}))]);
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir(home.path("home/.xcsh")).unwrap();
    let link = home.path("home/.xcsh/mcp.json");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    home.jackfield(&["disable", "s"]).exits(0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(String::from_utf8(bytes(&target)).unwrap().contains("\"enabled\": false"));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_does_not_parse_is_not_written() {
    let home = Home::new();
    home.servers("home/.cursor/mcp.json", &[("cur", fake(&[]))]);
    // The denylist would have to go there.
    let path = home.write("home/.xcsh/mcp.json", "{\n  \"mcpServers\": {\n    oops\n");
    let before = bytes(&path);
    let ran = home.jackfield(&["disable", "cur"]).exits(1);
    assert!(ran.stderr.contains("Cannot edit ~/.xcsh/mcp.json: "), "{ran:#?}");
    assert!(ran.stderr.contains("at line 3, column"), "{ran:#?}");
    assert_eq!(bytes(&path), before);
}

#[test]
fn eight_programs_switching_at_once_lose_nothing() {
    let home = Home::new();
    let names: Vec<String> = (0..8).map(|i| format!("s{i}")).collect();
    let servers: Vec<_> = names.iter().map(|name| (name.as_str(), json!({"command": "sh"}))).collect();
    let path = home.servers("home/.xcsh/mcp.json", &servers);
    let running: Vec<_> = names.iter().map(|name| home.start(&["disable", name])).collect();
    for child in running {
        crate::support::wait(child, &["disable"]).exits(0);
    }
    let file: serde_json::Value = serde_json::from_slice(&bytes(&path)).unwrap();
    for name in &names {
        assert_eq!(file["mcpServers"][name]["enabled"], false, "{file:#}");
    }
    let beside: Vec<_> =
        std::fs::read_dir(path.parent().unwrap()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(beside, ["mcp.json"], "no temporary file is left");
}

#[test]
fn a_switch_that_the_user_wrote_since_is_set_and_not_removed() {
    let home = Home::new();
    home.write(
        "home/.xcsh/mcp.json",
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"true\"\n    }\n  }\n}\n",
    );
    home.jackfield(&["disable", "a"]).exits(0);
    let own = "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"false\",\n      \"enabled\": false /* mine */\n    }\n  }\n}\n";
    home.write("home/.xcsh/mcp.json", own);
    home.jackfield(&["enable", "a"]).exits(0);
    assert_eq!(home.read("home/.xcsh/mcp.json"), own.replace("\"enabled\": false", "\"enabled\": true"));
}

/// A list goes by name: who is off stays off under another one.
#[test]
fn a_server_that_is_off_by_a_list_stays_off_when_it_is_renamed() {
    let home = Home::new();
    home.servers(
        "home/.gemini/settings.json",
        &[("a", json!({"command": "c"})), ("b", json!({"command": "c"}))],
    );
    home.servers("home/.cursor/mcp.json", &[("x", json!({"command": "c"}))]);
    home.jackfield(&["disable", "a"]).exits(0);
    home.jackfield(&["disable", "x"]).exits(0);
    home.write("home/.config/jackfield/settings.json", "{\n  \"chosen\": [\"b\", \"a\"]\n}\n");
    home.jackfield(&["rename", "a", "a2"]).exits(0);
    assert_eq!(home.read("home/.config/jackfield/settings.json"), "{\n  \"chosen\": [\"b\", \"a2\"]\n}\n");
    home.jackfield(&["edit", "x", "--set", "name=x2"]).exits(0);
    let gemini: Value = serde_json::from_str(&home.read("home/.gemini/settings.json")).unwrap();
    assert_eq!(gemini["mcp"]["excluded"], json!(["a2"]));
    let ours: Value = serde_json::from_str(&home.read("home/.xcsh/mcp.json")).unwrap();
    assert_eq!(ours["disabledServers"], json!(["x2"]));
    home.jackfield(&["undo"]).exits(0);
    let ours: Value = serde_json::from_str(&home.read("home/.xcsh/mcp.json")).unwrap();
    assert_eq!(ours["disabledServers"], json!(["x"]), "one undo takes back both files");
    home.jackfield(&["copy", "a2", "--to", "opencode"]).exits(0);
    let copied: Value = serde_json::from_str(&home.read("home/.config/opencode/opencode.jsonc")).unwrap();
    assert_eq!(copied["mcp"]["a2"]["enabled"], json!(false));
    home.jackfield(&["remove", "x"]).exits(0);
    let added = home.jackfield(&["add", "x", "--", "c"]).exits(0);
    assert!(added.stderr.contains("`x` is on the denylist: it stays off"), "{added:#?}");
}
