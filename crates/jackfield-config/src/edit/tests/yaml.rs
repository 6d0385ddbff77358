//! YAML: what a person wrote stays, and what cannot be told apart is refused.

use serde_json::json;

use super::*;

fn target(root: &[&str], keys: &[&str]) -> Target {
    Target { root: strings(root), keys: strings(keys), list: false }
}

fn set(target: Target, value: Value) -> Change {
    Change::Set { target, value, place: Place::Last, missing: Missing::Create }
}

fn edited(before: &str, change: &Change) -> String {
    match apply(before, Format::Yaml, change) {
        Ok(edited) => edited.text,
        Err(error) => panic!("{change:?}: {error}\n{before}"),
    }
}

fn refused(before: &str, change: &Change) -> String {
    apply(before, Format::Yaml, change).unwrap_err().to_string()
}

const SHARED: &str = "extensions:\n  defaults: &d\n    enabled: true\n    envs: {}\n    name: defaults\n  linux-mcp:\n    <<: *d\n    type: stdio\n    name: linux-mcp\n    cmd: uvx\n    args: [--python, '3.13', linux-mcp-server]\n  remote:\n    enabled: false # off\n    headers: {Authorization: \"Bearer ${TOKEN}\"}\n";

/// A23: a switch beside an alias, a merge and a list between brackets touches none of them.
#[test]
fn a_switch_beside_what_is_shared() {
    let root = strings(&["extensions"]);
    let off = Change::set_flag(&root, "linux-mcp", "enabled", false);
    let after = SHARED.replace("    <<: *d\n", "    enabled: false\n    <<: *d\n");
    there_and_back(Format::Yaml, SHARED, &off, &Change::remove_flag(&root, "linux-mcp", "enabled"), &after);
    let on = edited(SHARED, &Change::set_flag(&root, "remote", "enabled", true));
    assert_eq!(on, SHARED.replace("enabled: false # off", "enabled: true # off"));
    // There it would switch the other off, too.
    let words = "is written in a way that can only be edited by hand: an alias elsewhere stands for the same";
    assert_eq!(
        refused(SHARED, &Change::set_flag(&root, "defaults", "enabled", false)),
        format!("`enabled` {words}")
    );
    let renamed = Change::Rename { target: target(&["extensions"], &["defaults"]), to: "d".to_owned() };
    assert_eq!(edited(SHARED, &renamed), SHARED.replace("  defaults:", "  d:"));
    for (change, why) in [
        (
            Change::Remove { target: target(&["extensions"], &["defaults"]) },
            "it has an anchor that others may use",
        ),
        (set(target(&["extensions"], &["remote", "headers", "X"]), "1".into()), "it is written in one line"),
        (set(target(&["extensions"], &["linux-mcp", "<<"]), "1".into()), "it is an alias"),
    ] {
        let words = refused(SHARED, &change);
        assert!(words.ends_with(why), "{words}");
    }
}

#[test]
fn a_comment_behind_a_value_stays() {
    for (before, after) in [
        ("a: \"x\" # c\n", "a: new # c\n"),
        ("a: 'it''s' # c\n", "a: new # c\n"),
        ("a: x y # c\n", "a: new # c\n"),
        ("a: # c\n", "a: new # c\n"),
        ("---\na: x#y # c\n...\n", "---\na: new # c\n...\n"),
        ("a: |\n  x # y\n  z\nb: 1 # c\n", "a: new\nb: 1 # c\n"),
        ("a: x\r\nb: 1 # c", "a: new\r\nb: 1 # c"),
    ] {
        assert_eq!(edited(before, &set(target(&[], &["a"]), "new".into())), after, "{before}");
    }
}

#[test]
fn texts_read_as_texts() {
    for text in [
        "",
        "yes",
        "null",
        "3.13",
        "0x1",
        "1e3",
        ".5",
        "- a",
        "a: b",
        "a #b",
        "#",
        "@x",
        "*x",
        "&x",
        "!x",
        "%x",
        "'",
        "\"",
        "{",
        "x]",
        "a, b",
        " x ",
        "é\u{1F600}",
        "a\nb",
        "\t",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "~",
        "=",
        "<<",
        "|",
        ">",
        "?",
        "---",
        "2020-01-01",
    ] {
        for before in ["a:\n- one\nb: [one]\nc: x\n", "a:\n  - one\nb: [\n  one,\n]\nc: x\n"] {
            let all = [
                set(target(&[], &["c"]), text.into()),
                set(target(&[], &["new"]), json!({text: [text, {"k": text}]})),
                Change::list_add(&strings(&["a"]), text),
                Change::list_add(&strings(&["b"]), text),
            ];
            for change in all {
                edited(before, &change);
            }
        }
    }
}

#[test]
fn lists_are_made_kept_in_style_and_emptied() {
    let path = strings(&["mcp", "skip"]);
    for (before, after) in [
        ("a: 1 # c\n", "a: 1 # c\nmcp:\n  skip:\n    - x\n"),
        (
            "mcp: # c\n  skip:\n  - a # b\n\n  # d\nz: 1\n",
            "mcp: # c\n  skip:\n  - a # b\n  - x\n\n  # d\nz: 1\n",
        ),
        ("mcp:\n  skip: [a, 'b'] # c\n", "mcp:\n  skip: [a, 'b', x] # c\n"),
        (
            "mcp:\n  skip: [\n    a, # a\n    b # b\n  ]\n",
            "mcp:\n  skip: [\n    a, # a\n    b, # b\n    x\n  ]\n",
        ),
        ("mcp:\r\n    skip:\r\n        - a", "mcp:\r\n    skip:\r\n        - a\r\n        - x"),
    ] {
        let there = apply(before, Format::Yaml, &Change::list_add(&path, "x")).unwrap();
        assert_eq!(there.text, after);
        let back =
            Change::ListRemove { target: Target::leaf(&path), item: "x".to_owned(), prune: there.created };
        assert_eq!(edited(after, &back), before);
    }
    // A list made by us stays if something was put beside it.
    let beside = "mcp:\n  skip:\n    - x\n  on: 1\n";
    let back = Change::ListRemove {
        target: Target::leaf(&path),
        item: "x".to_owned(),
        prune: Some(strings(&["mcp"])),
    };
    assert_eq!(edited(beside, &back), "mcp:\n  skip: []\n  on: 1\n");
    let twice = "mcp:\n  skip: [x, a, x]\n";
    assert_eq!(edited(twice, &Change::list_remove(&path, "x")), "mcp:\n  skip: [a]\n");
    let shared = "mcp:\n  skip: &o [a]\nother: *o\n";
    assert!(
        refused(shared, &Change::list_add(&path, "x")).ends_with("an alias elsewhere stands for the same")
    );
}

#[test]
fn an_entry_of_a_list_is_found_by_its_name() {
    let before = "name: c\nmcpServers: # all\n  # first\n  - name: a\n    command: npx # run\n    args:\n      - -y\n  - command: uvx\n    name: b\n";
    let of = |keys: &[&str]| Target { list: true, ..target(&["mcpServers"], keys) };
    let add = set(of(&["z"]), json!({"command": "x", "env": {"A": "1"}}));
    let after = format!("{before}  - name: z\n    command: x\n    env:\n      A: \"1\"\n");
    assert_eq!(edited(before, &add), after);
    assert_eq!(edited(&after, &Change::Remove { target: of(&["z"]) }), before);
    let whole = set(of(&["a"]), json!({"command": "npx", "args": ["-y", "p"], "cwd": "/w"}));
    assert_eq!(edited(before, &whole), before.replace("- -y\n", "- -y\n      - p\n    cwd: /w\n"));
    let rename = Change::Rename { target: of(&["b"]), to: "c d".to_owned() };
    assert_eq!(edited(before, &rename), before.replace("name: b", "name: \"c d\""));
    let taken = Change::Rename { target: of(&["b"]), to: "a".to_owned() };
    assert!(matches!(apply(before, Format::Yaml, &taken), Err(EditError::Exists { .. })));
}

/// A document that holds nothing gets its first key; one that holds a written-out nothing is for a person.
#[test]
fn a_document_without_a_value() {
    let add = set(target(&["mcp"], &["z"]), json!({"command": "x"}));
    let block = "mcp:\n  z:\n    command: x\n";
    for bare in ["", "# mine\n", "---\n", "%YAML 1.2\n---\n# mine\n"] {
        let after = edited(bare, &add);
        assert_eq!(after, format!("{bare}{block}"));
        assert_eq!(edited(&after, &Change::Remove { target: target(&[], &["mcp"]) }), bare);
    }
    for written in ["null\n", "~", "!", "\t!\t# e", "--- !!null\n"] {
        let words = refused(written, &add);
        assert!(words.ends_with("written out") || words.contains("parse"), "{written:?}: {words}");
    }
}

/// An empty root has no place to stand in a block; how it was written comes back by what is remembered of it.
#[test]
fn an_empty_root_is_as_it_was_when_its_key_goes() {
    for text in ["{}\n", "# mine\n{ }\n", "---\n{}", "# only this\n"] {
        let target = || Target { root: Vec::new(), keys: strings(&["a"]), list: false };
        let set =
            Change::Set { target: target(), value: 1.into(), place: Place::Last, missing: Missing::Create };
        let with = apply(text, Format::Yaml, &set).unwrap().text;
        let back = apply(&with, Format::Yaml, &Change::Remove { target: target() }).unwrap().text;
        let blank = blank(text, Format::Yaml, &[]).unwrap();
        let whole = with_blank(&back, Format::Yaml, &[], blank);
        assert_eq!(whole.as_deref(), Some(text), "by way of {with:?} and {back:?}");
        // Somebody's comment is not given up for it.
        assert_eq!(with_blank("# theirs\n", Format::Yaml, &[], "{}\n"), None);
    }
}
