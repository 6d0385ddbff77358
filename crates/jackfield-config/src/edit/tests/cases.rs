//! Files that were laid out to be hard to edit.

use super::corpus::bytes_of;
use super::*;
use crate::source::SourceText;

fn set(root: &[&str], keys: &[&str], value: Value) -> Change {
    let target = Target { root: strings(root), keys: strings(keys), list: false };
    Change::Set { target, value, place: Place::Last, missing: Missing::Create }
}

fn remove(root: &[&str], keys: &[&str]) -> Change {
    Change::Remove { target: Target { root: strings(root), keys: strings(keys), list: false } }
}

fn server() -> Value {
    serde_json::json!({"command": "npx", "args": ["-y", "z"], "env": {"A": "1"}})
}

fn edited(text: &str, format: Format, change: &Change) -> String {
    match apply(text, format, change) {
        Ok(edited) => edited.text,
        Err(error) => panic!("{change:?}: {error}\n{text}"),
    }
}

/// A02: of a root that is written twice the first block stays.
#[test]
fn a_block_that_is_not_in_effect_stays() {
    let Some(bytes) = bytes_of("296-claude-code-user.json") else { return };
    let text = String::from_utf8(bytes).unwrap();
    let root = strings(&["mcpServers"]);
    let off = edited(&text, JSON, &Change::set_flag(&root, "linear", "disabled", true));
    assert_eq!(off, text.replace("{ \"type\": \"http\"", "{ \"disabled\": true, \"type\": \"http\""));
    let whole = serde_json::json!({"type": "http", "url": "https://h/"});
    assert_eq!(
        edited(&text, JSON, &set(&["mcpServers"], &["linear"], whole)),
        text.replace("https://mcp.linear.app/mcp", "https://h/")
    );
    let gone = apply(&text, JSON, &remove(&["mcpServers"], &["github"]));
    assert_eq!(gone, Err(EditError::Already));
}

/// A07: a byte order mark stays, and so does everything behind it.
#[test]
fn a_mark_at_the_begin_stays() {
    let Some(bytes) = bytes_of("294-claude-desktop.json") else { return };
    let source = SourceText::decode(&bytes).unwrap();
    let added = edited(&source.text, JSON, &set(&["mcpServers"], &["z"], server()));
    let written = SourceText { text: added.clone(), ..source.clone() }.encode();
    assert_eq!(written[..3], [0xEF, 0xBB, 0xBF]);
    let value: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(value["mcpServers"].as_object().unwrap().len(), 2);
    let back = edited(&added, JSON, &remove(&["mcpServers"], &["z"]));
    assert_eq!(SourceText { text: back, ..source }.encode(), bytes);
}

/// A08: an empty file, and one of blanks.
#[test]
fn files_with_nothing_in_them_get_a_root() {
    for (file, root) in [("319-cursor.json", "mcpServers"), ("318-vscode.json", "servers")] {
        let Some(bytes) = bytes_of(file) else { return };
        let text = String::from_utf8(bytes).unwrap();
        let value: Value =
            serde_json::from_str(&edited(&text, JSON, &set(&[root], &["z"], server()))).unwrap();
        assert_eq!(value, serde_json::json!({root: {"z": server()}}));
    }
    assert_eq!(edited("", Format::Toml, &set(&["s"], &["z", "a"], 1.into())), "[s.z]\na = 1\n");
    assert_eq!(edited("", Format::Yaml, &set(&["s"], &["z", "a"], 1.into())), "s:\n  z:\n    a: 1\n");
}

/// A11 and A23, on the files themselves.
#[test]
fn tables_and_anchors_of_real_files() {
    let Some(bytes) = bytes_of("301-codex.toml") else { return };
    let text = String::from_utf8(bytes).unwrap();
    let env = set(&["mcp_servers"], &["node_repl", "env"], serde_json::json!({"FOO": "1"}));
    let after = edited(&text, Format::Toml, &env);
    assert!(after.contains("\n[mcp_servers.node_repl.env]\nFOO = \"1\"\n"), "{after}");
    assert_eq!(after.matches("\"node_repl.env\"").count(), 1, "{after}");
    let Some(bytes) = bytes_of("330-goose.yaml") else { return };
    let text = String::from_utf8(bytes).unwrap();
    let off = Change::set_flag(&strings(&["extensions"]), "linux-mcp", "enabled", false);
    let after = edited(&text, Format::Yaml, &off);
    assert_eq!(changed_lines(&text, &after), (0, 1), "{after}");
    assert_eq!(after.replacen("    enabled: false\n    <<: *d\n", "    <<: *d\n", 1), text);
}

/// A24: while a server is there, every comment is; once it is gone, every byte is as it was.
#[test]
fn comments_outlive_a_server() {
    for (file, root) in [
        ("313-vscode.json", &["servers"] as &[&str]),
        ("314-vscode-settings.json", &["mcp", "servers"]),
        ("333-zed.json", &["context_servers"]),
    ] {
        let Some(bytes) = bytes_of(file) else { return };
        let text = String::from_utf8(bytes).unwrap();
        let mut now = edited(&text, JSON, &set(root, &["z"], server()));
        let mut other = server();
        other["args"] = serde_json::json!(["z", "--more"]);
        other["cwd"] = "/w".into();
        for change in [set(root, &["z"], other), set(root, &["z", "env", "B"], "2".into())] {
            now = edited(&now, JSON, &change);
            for (_, comment) in crate::edit::json::unseen(&text) {
                assert!(now.contains(&comment), "{comment}\n{now}");
            }
            assert_eq!(now.matches("\r\n").count() > 0, text.contains("\r\n"));
            assert_eq!(
                now.matches('\n').count() - now.matches("\r\n").count() > 0,
                text.replace("\r\n", "").contains('\n')
            );
        }
        assert_eq!(edited(&now, JSON, &remove(root, &["z"])), text, "{file}");
    }
}

/// A27: four spaces, CRLF, no final line end; a switch is one line.
#[test]
fn a_switch_is_one_line_in_any_layout() {
    let json = "{\r\n    \"mcpServers\": {\r\n        \"x\": {\r\n            \"command\": \"y\"\r\n        }\r\n    }\r\n}";
    let toml = "[mcpServers.x]\r\n    command = \"y\"\r\n    args = []";
    let yaml = "mcpServers:\r\n    x:\r\n        command: y\r\n        args: []";
    let root = strings(&["mcpServers"]);
    for (text, format) in [(json, JSON), (toml, Format::Toml), (yaml, Format::Yaml)] {
        let off = edited(text, format, &Change::set_flag(&root, "x", "disabled", true));
        assert_eq!(changed_lines(text, &off), (0, 1), "{off}");
        assert_eq!(off.matches('\n').count(), off.matches("\r\n").count());
        assert_eq!(off.matches("\r\n").count(), text.matches("\r\n").count() + 1);
        assert!(!off.ends_with('\n'));
        assert_eq!(edited(&off, format, &Change::remove_flag(&root, "x", "disabled")), text);
    }
}

/// Whatever a file is cut down to, it is edited or refused.
#[test]
fn every_begin_of_a_file_is_edited_or_refused() {
    let json = include_str!("../../../tests/edit/commented.json");
    let toml = "# c\nmcp_servers.d.a = 1\n[servers] # é\nx = { a = [1, 'b', { c = \"\"\"d\n\"\"\" }], e.f = 1 }\n\n[servers.y]\nargs = [\n  \"-y\", # z\n]\n[servers.\"y\".env]\nA.B = 'c'\n[[servers.z]]\nname = \"x\"\n";
    let yaml = "# c\nbase: &b {a: 1, 'b': [x, \"y\\n\"]}\nservers: # é\n  x:\n    <<: *b\n    args: [-y, {c: d}]\n    env:\n      A: |\n        # text\n  y:\n  - name: z\n    list:\n    - - a\n    -\n    - ? k\n      : v\n  z: *b\n";
    for (text, format) in [(json, JSON), (toml, Format::Toml), (yaml, Format::Yaml)] {
        for end in (0..=text.len()).filter(|end| end.is_multiple_of(5) && text.is_char_boundary(*end)) {
            let text = &text[..end];
            for name in ["x", "y", "new"] {
                for change in [
                    set(&["servers"], &[name], server()),
                    set(&["servers"], &[name, "args"], serde_json::json!(["-y", "b"])),
                    set(&["servers"], &[name, "env", "A"], "x: #y".into()),
                    remove(&["servers"], &[name]),
                    remove(&["servers"], &[name, "env"]),
                    Change::Rename {
                        target: Target::field(&strings(&["servers"]), name, "args"),
                        to: "a b".to_owned(),
                    },
                    Change::list_add(&strings(&["servers", name, "args"]), "z"),
                    Change::list_remove(&strings(&["servers", name, "args"]), "-y"),
                ] {
                    for list in [false, true] {
                        if let Ok(edited) = apply(text, format, &change.clone().in_list(list)) {
                            assert!(
                                check(&edited.text, format).is_ok(),
                                "{change:?}\n{text}\n=>\n{}",
                                edited.text
                            );
                        }
                    }
                }
            }
        }
    }
}
