use super::*;

fn flag(name: &str) -> (Change, Change) {
    let root = strings(&["mcpServers"]);
    (Change::set_flag(&root, name, "enabled", false), Change::remove_flag(&root, name, "enabled"))
}

fn inserts(name: &str, before: &str, after: &str) {
    let (there, back) = flag(name);
    there_and_back(JSON, before, &there, &back, after);
}

#[test]
fn a_missing_flag_becomes_the_first_member_in_the_style_of_the_entry() {
    let cases = [
        // Lines, spaces.
        (
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\"\n    }\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"enabled\": false,\n      \"command\": \"y\"\n    }\n  }\n}\n",
        ),
        // CRLF, four spaces, no final line end.
        (
            "{\r\n    \"mcpServers\": {\r\n        \"x\": {\r\n            \"command\": \"y\"\r\n        }\r\n    }\r\n}",
            "{\r\n    \"mcpServers\": {\r\n        \"x\": {\r\n            \"enabled\": false,\r\n            \"command\": \"y\"\r\n        }\r\n    }\r\n}",
        ),
        // Tabs; a comment behind the brace, one before the first key.
        (
            "{\n\t\"mcpServers\": {\n\t\t\"x\": { // mine\n\t\t\t// why\n\t\t\t\"command\": \"y\"\n\t\t}\n\t}\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"x\": { // mine\n\t\t\t\"enabled\": false,\n\t\t\t// why\n\t\t\t\"command\": \"y\"\n\t\t}\n\t}\n}\n",
        ),
        // One line each.
        (
            r#"{"mcpServers":{"x":{"command":"y"}}}"#,
            r#"{"mcpServers":{"x":{"enabled":false,"command":"y"}}}"#,
        ),
        (
            r#"{ "mcpServers": { "x": { "command": "y" } } }"#,
            r#"{ "mcpServers": { "x": { "enabled": false, "command": "y" } } }"#,
        ),
        (
            r#"{"mcpServers": {"x": {"command": "y", "args": []}}}"#,
            r#"{"mcpServers": {"x": {"enabled": false, "command": "y", "args": []}}}"#,
        ),
        (
            r#"{"mcpServers":{"x" : { /* c */ "command" : "y",}}}"#,
            r#"{"mcpServers":{"x" : { "enabled" : false, /* c */ "command" : "y",}}}"#,
        ),
        // Nothing in it.
        ("{\"mcpServers\": {\"x\": {}}}", "{\"mcpServers\": {\"x\": {\"enabled\": false}}}"),
        ("{\"mcpServers\": {\"x\": { }}}", "{\"mcpServers\": {\"x\": { \"enabled\": false }}}"),
        ("{\"mcpServers\":{\"x\":{}}}", "{\"mcpServers\":{\"x\":{\"enabled\":false}}}"),
        (
            "{\n  \"mcpServers\": {\n    \"x\": {\n    }\n  }\n}",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"enabled\": false\n    }\n  }\n}",
        ),
        (
            "{\n  \"mcpServers\": {\n    \"x\": {\n      // later\n    }\n  }\n}",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"enabled\": false\n      // later\n    }\n  }\n}",
        ),
        // A comment over lines, then the key beside its end.
        (
            "{\"mcpServers\": {\"x\": { /* a\n b */ \"command\": \"y\" }}}",
            "{\"mcpServers\": {\"x\": { \"enabled\": false, /* a\n b */ \"command\": \"y\" }}}",
        ),
        // A trailing comma, and a comment as the last thing.
        (
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\", // the end\n      /* \"env\": {} */\n    },\n  },\n}\n",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"enabled\": false,\n      \"command\": \"y\", // the end\n      /* \"env\": {} */\n    },\n  },\n}\n",
        ),
    ];
    for (before, after) in cases {
        inserts("x", before, after);
    }
}

#[test]
fn any_name_is_data() {
    for name in ["a/b", "a~b", "a.b", "a b", "日本", "__proto__", "constructor", "", "a\"b\\c", "\u{1}"] {
        let key = quoted(name);
        let before =
            format!("{{\n  \"mcpServers\": {{\n    {key}: {{\n      \"url\": \"u\"\n    }}\n  }}\n}}\n");
        let after = before.replace("\"url\"", "\"enabled\": false,\n      \"url\"");
        inserts(name, &before, &after);
    }
    // The same name, spelled with an escape.
    inserts(
        "a/b",
        r#"{"mcpServers":{"a\/\u0062":{"url":"u"}}}"#,
        r#"{"mcpServers":{"a\/\u0062":{"enabled":false,"url":"u"}}}"#,
    );
}

#[test]
fn a_flag_that_is_there_is_set_in_place() {
    let root = strings(&["mcpServers"]);
    let cases = [
        (
            true,
            "{ \"disabled\" : false /* off? */, \"a\": 1 }",
            "{ \"disabled\" : true /* off? */, \"a\": 1 }",
        ),
        (
            true,
            "{\n \"a\": 1,\n \"disabled\": \"false\" // x\n}",
            "{\n \"a\": 1,\n \"disabled\": true // x\n}",
        ),
        (false, "{ \"disabled\": null }", "{ \"disabled\": false }"),
    ];
    for (value, before, after) in cases {
        let whole = |entry: &str| format!("{{\"mcpServers\": {{\"x\": {entry}}}}}");
        let change = Change::set_flag(&root, "x", "disabled", value);
        let edited = apply(&whole(before), JSON, &change).unwrap();
        assert_eq!(edited.text, whole(after));
        assert!(!edited.inserted);
    }
}

#[test]
fn the_comment_of_a_flag_survives_its_removal() {
    let before = "{\"mcpServers\": {\"x\": {\n  \"enabled\": false, // too slow\n  \"a\": 1\n}}}";
    let edited = apply(before, JSON, &flag("x").1).unwrap();
    assert_eq!(edited.text, "{\"mcpServers\": {\"x\": {\n  // too slow\n  \"a\": 1\n}}}");
    let before = "{\"mcpServers\": {\"x\": {\"a\": 1 /* one */, /* two */ \"enabled\": false /* three */}}}";
    let edited = apply(before, JSON, &flag("x").1).unwrap();
    assert_eq!(edited.text, "{\"mcpServers\": {\"x\": {\"a\": 1 /* one */ /* two */ /* three */}}}");
}

#[test]
fn of_a_root_that_is_written_twice_the_last_is_edited() {
    let before = "{\n  \"mcpServers\": { \"x\": { \"command\": \"old\" } },\n  \"mcpServers\": { \"x\": { \"url\": \"new\" } }\n}\n";
    let after = before.replace("{ \"url\"", "{ \"enabled\": false, \"url\"");
    inserts("x", before, &after);
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let refused = |text: &str| apply(text, JSON, &flag("x").0).unwrap_err().to_string();
    let cases = [
        (r#"{"mcpServers": {"x": {}, "x": {}}}"#, "`x` is written twice, again at line 1, column 26"),
        (
            "{\"mcpServers\": {\"x\": {\"enabled\": true,\n \"enabled\": true}}}",
            "`enabled` is written twice, again at line 2, column 2",
        ),
        (r#"{"mcpServers": 3}"#, "`mcpServers` is a number, not an object, at line 1, column 16"),
        (r#"{"mcpServers": null}"#, "`mcpServers` is null, not an object, at line 1, column 16"),
        (r#"[]"#, "`the root of the file` is a list, not an object, at line 1, column 1"),
        (r#"{"mcpServers": {"x": null}}"#, "`x` is null, not an object, at line 1, column 22"),
        (
            r#"{"mcpServers": {"x": {"enabled": {}}}}"#,
            "`enabled` is an object, not a single value, at line 1, column 34",
        ),
        (r#"{"mcpServers": {}}"#, "`x` is not there"),
        (r#"{}"#, "`mcpServers` is not there"),
        ("", "`mcpServers` is not there"),
        (r#"{"mcpServers": {"x": {"enabled": false}}}"#, "there is nothing to change"),
        ("{\n  \"mcpServers\": {\n", "unterminated object at line 2, column 17"),
        ("{'mcpServers': {}}", "single-quoted strings are not allowed at line 1, column 2"),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message, "{text}");
    }
    assert_eq!(apply("{}", JSON, &Change::list_remove(&strings(&["l"]), "x")), Err(EditError::Already));
}

#[test]
fn lists_are_made_kept_in_style_and_emptied() {
    let path = strings(&["mcp", "excluded"]);
    let add = |before: &str, after: &str| {
        let edited = apply(before, JSON, &Change::list_add(&path, "x")).unwrap();
        assert_eq!(edited.text, after);
        let back =
            Change::ListRemove { target: Target::leaf(&path), item: "x".to_owned(), prune: edited.created };
        assert_eq!(apply(after, JSON, &back).unwrap().text, before);
    };
    add(
        "{\n  \"theme\": \"dark\" // nice\n}\n",
        "{\n  \"theme\": \"dark\", // nice\n  \"mcp\": {\n    \"excluded\": [\"x\"]\n  }\n}\n",
    );
    add("{\"theme\":1}", "{\"theme\":1,\"mcp\":{\"excluded\":[\"x\"]}}");
    add("{\n}\n", "{\n  \"mcp\": {\n    \"excluded\": [\"x\"]\n  }\n}\n");
    add("{\"mcp\": {}}", "{\"mcp\": {\"excluded\": [\"x\"]}}");
    add("{\"mcp\": {\"excluded\": []}}", "{\"mcp\": {\"excluded\": [\"x\"]}}");
    add("{\"mcp\": {\"excluded\": [\"a\"]}}", "{\"mcp\": {\"excluded\": [\"a\", \"x\"]}}");
    add("{\"mcp\": {\"excluded\":[\"a\",\"b\"]}}", "{\"mcp\": {\"excluded\":[\"a\",\"b\",\"x\"]}}");
    add("{\"mcp\": {\"excluded\": [\"a\", \"b\",]}}", "{\"mcp\": {\"excluded\": [\"a\", \"b\", \"x\",]}}");
    add(
        "{\n\t\"mcp\": {\r\n\t\t\"excluded\": [\r\n\t\t\t\"a\", // a\r\n\t\t\t\"b\" // b\r\n\t\t]\r\n\t}\r\n}",
        "{\n\t\"mcp\": {\r\n\t\t\"excluded\": [\r\n\t\t\t\"a\", // a\r\n\t\t\t\"b\", // b\r\n\t\t\t\"x\"\r\n\t\t]\r\n\t}\r\n}",
    );
    let twice = "{\"mcp\": {\"excluded\": [\"x\", \"a\", \"x\", /* c */ \"x\"]}}";
    let edited = apply(twice, JSON, &Change::list_remove(&path, "x")).unwrap();
    assert_eq!(edited.text, "{\"mcp\": {\"excluded\": [\"a\" /* c */]}}");
    let same = apply("{\"mcp\": {\"excluded\": [\"x\"]}}", JSON, &Change::list_add(&path, "x"));
    assert_eq!(same, Err(EditError::Already));
    let shape = apply("{\"mcp\": {\"excluded\": \"x\"}}", JSON, &Change::list_add(&path, "y")).unwrap_err();
    assert_eq!(shape.to_string(), "`excluded` is a string, not a list, at line 1, column 22");
}

#[test]
fn a_list_made_by_us_stays_if_something_was_put_beside_it() {
    let text = "{\"mcp\": {\"excluded\": [\"x\"], \"allowed\": []}}";
    let path = strings(&["mcp", "excluded"]);
    let change = Change::ListRemove {
        target: Target::leaf(&path),
        item: "x".to_owned(),
        prune: Some(strings(&["mcp"])),
    };
    assert_eq!(apply(text, JSON, &change).unwrap().text, "{\"mcp\": {\"excluded\": [], \"allowed\": []}}");
}

#[test]
fn an_empty_file_gets_a_root() {
    let add = Change::list_add(&strings(&["disabledServers"]), "x");
    let whole = "{\n  \"disabledServers\": [\"x\"]\n}\n";
    assert_eq!(apply("", JSON, &add).unwrap().text, whole);
    assert_eq!(apply(" \n\t", JSON, &add).unwrap().text, whole);
    assert_eq!(apply("// mine\n", JSON, &add).unwrap().text, format!("// mine\n{whole}"));
    assert_eq!(apply("// mine", JSON, &add).unwrap().text, format!("// mine\n{whole}"));
}

#[test]
fn an_entry_is_added_edited_and_removed_without_a_trace() {
    let cases = [
        include_str!("../../../tests/edit/commented.json"),
        include_str!("../../../tests/edit/settings.json"),
    ];
    for (before, root) in cases.into_iter().zip(["servers", "context_servers"]) {
        let target = Target { root: strings(&[root]), keys: strings(&["z"]), list: false };
        let value = serde_json::json!({"command": "npx", "args": ["-y", "z"], "env": {"A": "1"}});
        let add = Change::Set { target: target.clone(), value, place: Place::Last, missing: Missing::Create };
        let added = apply(before, JSON, &add).unwrap().text;
        for line in before.lines().filter(|line| line.contains("//") || line.contains("/*")) {
            assert!(added.lines().any(|other| other == line), "{line}\n{added}");
        }
        let set = Change::Set {
            target: Target { root: strings(&[root]), keys: strings(&["z", "env", "B"]), list: false },
            value: Value::from("2"),
            place: Place::Last,
            missing: Missing::Create,
        };
        let edited = apply(&added, JSON, &set).unwrap().text;
        assert_eq!(changed_lines(&added, &edited), (1, 2), "{edited}");
        assert_eq!(apply(&edited, JSON, &Change::Remove { target }).unwrap().text, before);
    }
}

#[test]
fn positions_count_characters() {
    let error = apply("{\"é\": 1, \"mcpServers\": 3}", JSON, &flag("x").0).unwrap_err();
    assert_eq!(error.position(), Some(Position { line: 1, column: 24 }));
}

#[test]
fn halves_of_characters_stay() {
    const FILE: &str = r#"{"mcpServers": {"sur\ud83d": {"command": "x", "args": ["\uDE00", "\ud83d\ude00"]}, "b": {"note": "\ud83e"}}, "off": ["\ud83d", "a", "a"]}"#;
    let root = ["mcpServers".to_owned()];
    let off = ["off".to_owned()];
    let name = "sur\u{fffd}";
    for (change, from, to) in [
        (
            Change::set_flag(&root, name, "enabled", false),
            r#"{"command": "x", "args""#,
            r#"{"enabled": false, "command": "x", "args""#,
        ),
        (
            Change::Remove {
                target: Target { root: root.to_vec(), keys: vec![name.to_owned()], list: false },
            },
            r#""sur\ud83d": {"command": "x", "args": ["\uDE00", "\ud83d\ude00"]}, "#,
            "",
        ),
        (Change::list_add(&off, name), r#""a", "a"]"#, "\"a\", \"a\", \"sur\u{fffd}\"]"),
        (Change::list_remove(&off, "a"), r#", "a", "a"]"#, "]"),
    ] {
        match apply(FILE, Format::STRICT_JSON, &change) {
            Ok(edited) => assert_eq!(edited.text, FILE.replacen(from, to, 1), "{change:?}"),
            Err(error) => panic!("{change:?}: {error}"),
        }
    }
}
