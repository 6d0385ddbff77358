//! What a click on a cure makes of a file: exactly the change, and the finding is gone.

use super::corpus_tests::{bytes, folder, place};
use super::testing::{read, read_bytes, source};
use crate::diagnostic::{Code, Diagnostic, FixWork};
use crate::edit::{self, EditError};
use crate::source::{SourceReading, SourceText};

/// The text after the first cure of a finding.
fn cured(text: &str, reading: &SourceReading, found: &Diagnostic) -> Option<Result<String, EditError>> {
    let format = reading.spec.format;
    match &found.fixes.first()?.work {
        FixWork::Changes(changes) => Some(edit::apply_all(text, format, changes).map(|edited| edited.text)),
        FixWork::Rewrite(rewrite) => Some(edit::rewrite(text, format, *rewrite)),
        FixWork::Private | FixWork::MoveAll { .. } => None,
    }
}

/// The file, an entry in it, the code of what is found, its line and column, and the entry once it is cured.
type Case = (&'static str, &'static str, Code, (u32, u32), &'static str);

#[test]
fn a_cure_changes_what_it_is_about_and_nothing_else() {
    let servers = |entry: &str| format!("{{\n  \"mcpServers\": {{\n    \"a\": {entry}\n  }}\n}}\n");
    let cases: &[Case] = &[
        (
            "~/.cursor/mcp.json",
            r#"{"command": "~/bin/x", "args": []}"#,
            Code::LiteralTilde,
            (3, 22),
            r#"{"command": "/home/u/bin/x", "args": []}"#,
        ),
        (
            "~/.claude.json",
            r#"{"command": "x", "args": ["-v", "--dir=~/data"]}"#,
            Code::LiteralTilde,
            (3, 42),
            r#"{"command": "x", "args": ["-v", "--dir=/home/u/data"]}"#,
        ),
        (
            ".cursor/mcp.json",
            r#"{"command": "x", "args": ["~"]}"#,
            Code::LiteralTilde,
            (3, 36),
            r#"{"command": "x", "args": ["${userHome}"]}"#,
        ),
        (".mcp.json", r#"{"command": "~/x"}"#, Code::LiteralTilde, (3, 22), r#"{"command": "${HOME}/x"}"#),
        (
            "~/.cursor/mcp.json",
            r#"{"command": "x", "args": ["C:\tools\new"]}"#,
            Code::ControlCharacter,
            (3, 36),
            r#"{"command": "x", "args": ["C:\\tools\\new"]}"#,
        ),
        (
            "~/.cursor/mcp.json",
            r#"{"command": "npx -y p", "env": {}}"#,
            Code::CommandLine,
            (3, 22),
            r#"{"command": "npx", "env": {}, "args": ["-y", "p"]}"#,
        ),
        (
            "~/.cursor/mcp.json",
            r#"{"command": "x", "env": {"T": "${T}"}}"#,
            Code::ForeignVariable,
            (3, 40),
            r#"{"command": "x", "env": {"T": "${env:T}"}}"#,
        ),
        (
            "~/.claude.json",
            r#"{"url": "https://h.example/mcp"}"#,
            Code::UrlWithoutType,
            (3, 5),
            r#"{"url": "https://h.example/mcp", "type": "http"}"#,
        ),
        (
            "~/.cursor/mcp.json",
            r#"{"url": "h.example/mcp"}"#,
            Code::BadUrl,
            (3, 5),
            r#"{"url": "https://h.example/mcp"}"#,
        ),
    ];
    for (path, before, code, at, after) in cases {
        let text = servers(before);
        let reading = read(path, &text);
        let found = reading.diagnostics.iter().find(|found| found.code == *code);
        let found = found.unwrap_or_else(|| panic!("{path} {before}: {:#?}", reading.diagnostics));
        assert_eq!(found.position.map(|at| (at.line, at.column)), Some(*at), "{path} {before}");
        let cured = cured(&text, &reading, found).expect("a cure").unwrap();
        assert_eq!(cured, servers(after), "{path}");
        let again = read(path, &cured);
        assert!(again.diagnostics.iter().all(|found| found.code != *code), "{:#?}", again.diagnostics);
    }
    let text = servers(r#"{"command": "x"}"#).replace("\"a\"", "\"my server!\"");
    let reading = read("~/.cursor/mcp.json", &text);
    let cured = cured(&text, &reading, &reading.diagnostics[0]).unwrap().unwrap();
    assert_eq!(cured, text.replace("my server!", "my-server"));
}

/// No cure of a real file breaks it, loses a server or leaves what it was to cure.
#[test]
fn the_cures_of_real_files() {
    let Some(folder) = folder() else { return };
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let mut tried = 0;
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, tool, path, _, _] = columns.as_slice() else { continue };
        let Some(place) = place(tool, file, path) else { continue };
        let (spec, bytes) = (source(place), bytes(&folder.join(file)));
        let reading = read_bytes(&spec, &bytes);
        let Ok(SourceText { text, .. }) = SourceText::decode(&bytes) else { continue };
        for found in &reading.diagnostics {
            let Some(Ok(after)) = cured(&text, &reading, found) else { continue };
            tried += 1;
            let again = read_bytes(&spec, after.as_bytes());
            let same = |other: &&Diagnostic| other.title == found.title && other.server == found.server;
            assert_eq!(again.diagnostics.iter().find(same), None, "{file}:\n{after}");
            assert!(again.definitions.len() >= reading.definitions.len(), "{file}: {}", found.title);
        }
    }
    assert!(tried > 30, "only {tried} cures tried");
}
