//! Every kind of finding is explained, documented and tested.

use std::fmt::Write as _;

use jackfield_config::diagnostic::Code;

use crate::tree;

#[test]
fn every_code_has_an_explanation_and_a_form_of_its_own() {
    let mut seen = std::collections::BTreeSet::new();
    for code in Code::ALL {
        let (word, text) = (code.as_str(), code.explanation());
        assert!(seen.insert(word), "`{word}` stands for two codes");
        assert!(word.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "`{word}`");
        assert!(text.len() > 20 && text.ends_with('.'), "`{word}` is not explained by a sentence: `{text}`");
    }
}

/// `UPDATE=1 cargo test` writes the page.
#[test]
fn the_page_of_diagnostics_is_that_of_the_code() {
    let mut page = String::from(
        "# Findings\n\nWhat `jackfield doctor`, `jackfield list --json` and the window report, by code. The codes are stable: scripts may\n\
         rely on them. This page is written by a test: `UPDATE=1 cargo test -p jackfield-cli --test tidy`.\n\n| Code | What it says |\n|---|---|\n",
    );
    for code in Code::ALL {
        writeln!(page, "| `{}` | {} |", code.as_str(), code.explanation().replace('|', "\\|")).unwrap();
    }
    let path = tree::root().join("docs/diagnostics.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/diagnostics.md is not up to date: run `UPDATE=1 cargo test -p jackfield-cli --test tidy`"
    );
}

#[test]
fn every_code_is_told_in_a_test() {
    let mut all = String::new();
    for folder in ["crates", "tests"] {
        for path in tree::with_ending(folder, &["snap"]) {
            all.push_str(&tree::text(&path));
        }
        for path in tree::with_ending(folder, &["rs"]) {
            let (text, name) = (tree::text(&path), tree::name(&path));
            let tests = if name.contains("/tests") || name.starts_with("tests/") {
                text.as_str()
            } else {
                text.split("#[cfg(test)]").nth(1).unwrap_or_default()
            };
            all.push_str(tests);
        }
    }
    let untested: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !all.contains(code.as_str()) && !all.contains(&format!("Code::{code:?}")))
        .map(|code| code.as_str())
        .collect();
    assert!(untested.is_empty(), "{untested:?}");
}
