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
