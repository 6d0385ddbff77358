use super::*;

fn inserts(name: &str, before: &str, after: &str) {
    let root = strings(&["mcp_servers"]);
    let there = Change::set_flag(&root, name, "enabled", false);
    let back = Change::remove_flag(&root, name, "enabled");
    there_and_back(Format::Toml, before, &there, &back, after);
    assert!(changed_lines(before, after).0 <= 1, "{after}");
    // Setting it is a change of the value alone.
    let on = apply(after, Format::Toml, &Change::set_flag(&root, name, "enabled", true)).unwrap();
    assert_eq!(on.text, after.replace("false", "true"));
    assert!(!on.inserted);
}

#[test]
fn a_missing_flag_is_inserted_in_the_style_of_the_entry() {
    let cases = [
        // A table with a header; a comment behind it, one below it.
        (
            "model = \"o\"\n\n[mcp_servers.x] # mine\n# why\ncommand = \"y\"\n",
            "model = \"o\"\n\n[mcp_servers.x] # mine\nenabled = false\n# why\ncommand = \"y\"\n",
        ),
        // No blanks around the equals sign; CRLF; indentation; no final line end.
        (
            "[mcp_servers.x]\r\n  command=\"y\"\r\n[other]\r\n",
            "[mcp_servers.x]\r\n  enabled=false\r\n  command=\"y\"\r\n[other]\r\n",
        ),
        ("[mcp_servers.x]", "[mcp_servers.x]\nenabled = false"),
        // Sub-tables first, and the entry's own table behind them.
        (
            "[mcp_servers.x.env]\nA = \"1\"\n[mcp_servers.x]\ncommand = \"y\"\n",
            "[mcp_servers.x.env]\nA = \"1\"\n[mcp_servers.x]\nenabled = false\ncommand = \"y\"\n",
        ),
        // Inline.
        (
            "[mcp_servers]\nx = { command = \"y\" }\n",
            "[mcp_servers]\nx = { enabled = false, command = \"y\" }\n",
        ),
        (
            "mcp_servers.x = {command=\"y\",args=[]} # c\n",
            "mcp_servers.x = {enabled=false,command=\"y\",args=[]} # c\n",
        ),
        ("[mcp_servers]\nx = {}\n", "[mcp_servers]\nx = {enabled = false}\n"),
        (
            "mcp_servers = { a = { url = \"u, {v}\" }, x = { url = \"w\" } }\n",
            "mcp_servers = { a = { url = \"u, {v}\" }, x = { enabled = false, url = \"w\" } }\n",
        ),
        (
            "mcp_servers = { \"a,b\".url = \"u\", x.url = \"w\", x.args = [] }\n",
            "mcp_servers = { \"a,b\".url = \"u\", x.enabled = false, x.url = \"w\", x.args = [] }\n",
        ),
        // Dotted.
        (
            "mcp_servers.a.command = \"z\"\nmcp_servers.x.command = \"y\"\nmcp_servers.x.args = []\n",
            "mcp_servers.a.command = \"z\"\nmcp_servers.x.enabled = false\nmcp_servers.x.command = \"y\"\nmcp_servers.x.args = []\n",
        ),
        (
            "[mcp_servers]\n  x.env.A = \"1\"\n  x.command = \"y\" # c",
            "[mcp_servers]\n  x.enabled = false\n  x.env.A = \"1\"\n  x.command = \"y\" # c",
        ),
    ];
    for (before, after) in cases {
        inserts("x", before, after);
    }
}

#[test]
fn quoted_names_are_not_paths() {
    for name in ["a.b", "a b", "日本", "a/b~c", "__proto__", "q\"q", ""] {
        let key = quoted(name);
        let before = format!("[mcp_servers.{key}]\nurl = \"u\"\n[mcp_servers.a.b]\nurl = \"v\"\n");
        inserts(name, &before, &before.replacen("url", "enabled = false\nurl", 1));
    }
    inserts(
        "a'b",
        "[mcp_servers . \"a'b\"]\nurl = \"\"\"x\"\"\"\n",
        "[mcp_servers . \"a'b\"]\nenabled = false\nurl = \"\"\"x\"\"\"\n",
    );
}

#[test]
fn what_has_no_place_is_refused() {
    let refused = |text: &str| {
        let change = Change::set_flag(&strings(&["mcp_servers"]), "x", "enabled", false);
        apply(text, Format::Toml, &change).unwrap_err().to_string()
    };
    let cases = [
        ("", "`mcp_servers` is not there"),
        ("[mcp_servers.a]\n", "`x` is not there"),
        ("mcp_servers = 3\n", "`mcp_servers` is integer, not a table, at line 1, column 1"),
        ("[mcp_servers]\nx = \"y\"\n", "`x` is string, not a table, at line 2, column 1"),
        ("[[mcp_servers.x]]\n", "`x` is array of tables, not a table, at line 1, column 15"),
        (
            "[mcp_servers.x.env]\nA = \"1\"\n",
            "`enabled` is written in a way that can only be edited by hand: only its sub-tables have a header",
        ),
        ("[mcp_servers.x]\nenabled = false\n", "there is nothing to change"),
        (
            "[mcp_servers.x]\nenabled = []\n",
            "`x.enabled` is a table or list, not a single value, at line 2, column 11",
        ),
        ("[mcp_servers.x]\na = 1\n[mcp_servers.x]\n", "duplicate key at line 3, column 14"),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message, "{text}");
    }
}

/// A11: an entry's `env` gets a table of its own, though a table is there whose quoted name looks like it.
#[test]
fn a_missing_table_gets_a_header() {
    let before =
        "[mcp_servers.node_repl]\ncommand = \"node\"\n\n[mcp_servers.\"node_repl.env\"]\nFOO = \"1\"\n";
    let change = Change::Set {
        target: Target {
            root: strings(&["mcp_servers"]),
            keys: strings(&["node_repl", "env", "FOO"]),
            list: false,
        },
        value: Value::from("1"),
        place: Place::Last,
        missing: Missing::Create,
    };
    let edited = apply(before, Format::Toml, &change).unwrap().text;
    assert_eq!(
        edited,
        "[mcp_servers.node_repl]\ncommand = \"node\"\n\n[mcp_servers.node_repl.env]\nFOO = \"1\"\n\n[mcp_servers.\"node_repl.env\"]\nFOO = \"1\"\n"
    );
    let whole = apply("", Format::Toml, &change).unwrap().text;
    assert_eq!(whole, "[mcp_servers.node_repl.env]\nFOO = \"1\"\n");
}

fn target(keys: &[&str]) -> Target {
    Target { root: strings(&["mcp_servers"]), keys: strings(keys), list: false }
}

fn set(keys: &[&str], value: Value) -> Change {
    Change::Set { target: target(keys), value, place: Place::Last, missing: Missing::Create }
}

fn edited(before: &str, change: &Change) -> String {
    match apply(before, Format::Toml, change) {
        Ok(edited) => edited.text,
        Err(error) => panic!("{change:?}: {error}\n{before}"),
    }
}

/// A11 again, as a form sends it: the whole table, or the whole entry.
#[test]
fn a_new_table_in_an_entry_is_written_as_the_file_writes_such() {
    let before =
        "[mcp_servers.node_repl]\ncommand = \"node\"\n\n[mcp_servers.\"node_repl.env\"]\nFOO = \"1\"\n";
    let after = before.replace("\"node\"\n", "\"node\"\n\n[mcp_servers.node_repl.env]\nFOO = \"1\"\n");
    let env = serde_json::json!({"FOO": "1"});
    assert_eq!(edited(before, &set(&["node_repl", "env"], env.clone())), after);
    let whole = serde_json::json!({"command": "node", "env": env});
    assert_eq!(edited(before, &set(&["node_repl"], whole.clone())), after);
    assert_eq!(edited(&after, &Change::Remove { target: target(&["node_repl", "env"]) }), before);
    // A new entry: headers, unless the file has such tables in lines only.
    let z = "\n[mcp_servers.z]\ncommand = \"node\"\n\n[mcp_servers.z.env]\nFOO = \"1\"\n";
    let lines = "\n[mcp_servers.z]\ncommand = \"node\"\nenv = { FOO = \"1\" }\n";
    for (before, block) in [
        ("a = 1\n", z),
        ("[mcp_servers.a]\nx = 1\n", z),
        ("[mcp_servers.a]\nx = 1\n[mcp_servers.a.env]\nB = \"1\"\n", z),
        ("[mcp_servers.a]\nenv = { B = \"1\" }\n", lines),
    ] {
        let after = edited(before, &set(&["z"], whole.clone()));
        assert_eq!(after, format!("{before}{block}"));
        assert_eq!(edited(&after, &Change::Remove { target: target(&["z"]) }), before);
    }
}

#[test]
fn a_table_goes_with_all_its_parts() {
    let before =
        "[mcp_servers.x]\na = 1\n\n# of b\n[mcp_servers.b]\na = 2\n\n[mcp_servers.x.env]\nA = \"1\"\n\n[t]\n";
    let after = "\n# of b\n[mcp_servers.b]\na = 2\n\n[t]\n";
    assert_eq!(edited(before, &Change::Remove { target: target(&["x"]) }), after);
    let before = "[mcp_servers]\nx.a = 1\ny.a = 1\nx.b = 2\n\n[mcp_servers.x.env]\nA = \"1\"\n";
    assert_eq!(edited(before, &Change::Remove { target: target(&["x"]) }), "[mcp_servers]\ny.a = 1\n");
}

#[test]
fn names_change_wherever_they_are_written() {
    let cases = [
        (
            "[mcp_servers.x]\na = 1\n[ mcp_servers . \"x\" . env ]\nA = \"1\"\n",
            "[mcp_servers.N]\na = 1\n[ mcp_servers . N . env ]\nA = \"1\"\n",
        ),
        (
            "mcp_servers.x.a = 1\nmcp_servers.y.x = 2\nmcp_servers.'x'.env.x = 3\n",
            "mcp_servers.N.a = 1\nmcp_servers.y.x = 2\nmcp_servers.N.env.x = 3\n",
        ),
        (
            "[mcp_servers]\nx.a = 1\n  x.b.c = 2\n[mcp_servers.x.env]\nA = 1\n",
            "[mcp_servers]\nN.a = 1\n  N.b.c = 2\n[mcp_servers.N.env]\nA = 1\n",
        ),
        ("mcp_servers = { x.a = 1, y.x = 2, x.b = 3 }\n", "mcp_servers = { N.a = 1, y.x = 2, N.b = 3 }\n"),
        ("mcp_servers = { x = { a = 1 } }\n", "mcp_servers = { N = { a = 1 } }\n"),
    ];
    for (before, after) in cases {
        let rename = |from: &str, to: &str| Change::Rename { target: target(&[from]), to: to.to_owned() };
        assert_eq!(edited(before, &rename("x", "N")), after);
        let back = edited(after, &rename("N", "x"));
        assert_eq!(back, before.replace("\"x\"", "x").replace("'x'", "x"));
    }
}

#[test]
fn lists_are_made_kept_in_style_and_emptied() {
    let path = strings(&["mcp", "excluded"]);
    let cases = [
        ("model = \"o\"\n", "model = \"o\"\n\n[mcp]\nexcluded = [\"x\"]\n"),
        ("[mcp]\na = 1\n", "[mcp]\na = 1\nexcluded = [\"x\"]\n"),
        ("[mcp]\nexcluded = []\n", "[mcp]\nexcluded = [\"x\"]\n"),
        ("mcp = { excluded = [ 'a' ] }\n", "mcp = { excluded = [ 'a', \"x\" ] }\n"),
        (
            "mcp.excluded = [\r\n  'a', # a\r\n  'b' # b\r\n] # c\r\n",
            "mcp.excluded = [\r\n  'a', # a\r\n  'b', # b\r\n  \"x\"\r\n] # c\r\n",
        ),
        ("mcp.excluded = [\n  'a', # a\n]", "mcp.excluded = [\n  'a', # a\n  \"x\",\n]"),
    ];
    for (before, after) in cases {
        let there = apply(before, Format::Toml, &Change::list_add(&path, "x")).unwrap();
        assert_eq!(there.text, after);
        let back =
            Change::ListRemove { target: Target::leaf(&path), item: "x".to_owned(), prune: there.created };
        assert_eq!(edited(after, &back), before);
        assert_eq!(apply(after, Format::Toml, &Change::list_add(&path, "x")), Err(EditError::Already));
    }
    let refused = |text: &str, change: &Change| apply(text, Format::Toml, change).unwrap_err().to_string();
    assert_eq!(
        refused("[mcp]\nexcluded = 3\n", &Change::list_add(&path, "x")),
        "`excluded` is integer, not a list, at line 2, column 1"
    );
    assert_eq!(refused("", &Change::list_remove(&path, "x")), "there is nothing to change");
}
