//! The real files, where they are beside the checkout.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::testing::{places, read_bytes, source};
use crate::discover;
use crate::source::{ReadState, SourceReading};

pub(crate) fn folder() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("JACKFIELD_CORPUS").map_or(default, PathBuf::from);
    if folder.join("index.tsv").is_file() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no corpus at {} (set JACKFIELD_CORPUS)", folder.display());
    None
}

#[expect(clippy::disallowed_methods, reason = "tests read their own files")]
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// Where a file of this application would stand.
pub(crate) fn place(tool: &str, file: &str, path: &str) -> Option<&'static str> {
    Some(match tool {
        "claude-code" => ".mcp.json",
        "claude-code-user" => "~/.claude.json",
        "claude-legacy" => ".claude/mcp.json",
        "claude-desktop" => "~/.config/Claude/claude_desktop_config.json",
        "codex" => "~/.codex/config.toml",
        // Two of them are not Gemini's own files.
        "gemini" if path.ends_with("settings.json") || file.starts_with("328") => "~/.gemini/settings.json",
        "gemini" if path.ends_with(".gemini/config/mcp_config.json") => "~/.gemini/config/mcp_config.json",
        "opencode" => "~/.config/opencode/opencode.json",
        "cursor" => "~/.cursor/mcp.json",
        "windsurf" => "~/.codeium/windsurf/mcp_config.json",
        "vscode" => ".vscode/mcp.json",
        "vscode-settings" => ".vscode/settings.json",
        "generic" => "mcp.json",
        "zed" => ".zed/settings.json",
        "kiro" => ".kiro/settings/mcp.json",
        "roo" => ".roo/mcp.json",
        "kilo" => ".kilocode/mcp.json",
        "cline" => "~/.cline/data/settings/cline_mcp_settings.json",
        "trae" => ".trae/mcp.json",
        "copilot-repo" => ".github/mcp.json",
        "copilot-cli" => "~/.copilot/mcp-config.json",
        "crush" => "~/.config/crush/crush.json",
        "goose" => "~/.config/goose/config.yaml",
        "amp" => ".amp/settings.json",
        "factory" => "~/.factory/mcp.json",
        "antigravity" => ".agents/mcp_config.json",
        "junie" => ".junie/mcp/mcp.json",
        "grok" => "~/.grok/config.toml",
        "mcporter" => "config/mcporter.json",
        "mcphub" => "~/.config/mcphub/servers.json",
        "openclaw" => "openclaw.json",
        _ => return None,
    })
}

/// `name(transport)` items after `N servers under root:`; nothing where the index speaks in other words.
fn expected(text: &str) -> Option<Vec<(String, String, bool)>> {
    let list = text
        .split_once(": ")
        .filter(|(head, _)| head.contains("server") && (head.contains(" under ") || head.contains(" among ")))
        .map(|(_, list)| list)?;
    let mut items = Vec::new();
    let list = list.split("; ").next()?;
    if list.trim().is_empty() || list == "none" || text.contains("WRONG ROOT") {
        return None;
    }
    for item in list.split(" … ").next()?.split("), ") {
        let (name, transport) = item.split_once('(')?;
        let (name, off) = match name.trim().strip_suffix("[off]") {
            Some(name) => (name, true),
            None => (name, false),
        };
        items.push((name.trim().to_owned(), transport.trim_end_matches(')').to_owned(), off));
    }
    Some(items)
}

fn got(reading: &SourceReading, name: &str) -> Option<(&'static str, bool)> {
    let definition = reading.definitions.iter().find(|definition| definition.name == name)?;
    let word = if definition.elsewhere.is_some() {
        "elsewhere"
    } else if definition.problems.is_empty() {
        definition.transport.word().unwrap_or("ERR")
    } else {
        "ERR"
    };
    Some((word, definition.enabled == Some(false)))
}

#[test]
fn the_index_agrees() {
    let Some(folder) = folder() else { return };
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let mut differences = Vec::new();
    let mut compared = 0;
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, tool, path, _, text] = columns.as_slice() else { continue };
        let (Some(place), Some(expected)) = (place(tool, file, path), expected(text)) else { continue };
        let reading = read_bytes(&source(place), &bytes(&folder.join(file)));
        compared += 1;
        for (name, transport, off) in expected {
            let word = match transport.as_str() {
                "stdio" | "sse" => transport.as_str(),
                text if text.starts_with("http") => "http",
                _ => "ERR",
            };
            let got = got(&reading, &name);
            if got != Some((word, off)) {
                differences.push(format!("{file}: {name} should be {word} off={off}, is {got:?}"));
            }
        }
    }
    assert!(compared > 150, "only {compared} files compared");
    // It has `baseUrl`, which Windsurf does not read; the index takes it as a url.
    differences.retain(|difference: &String| !difference.starts_with("275-windsurf.json"));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Files of which the index speaks in other words than a list, each in one line, to be held against it by eye.
#[test]
fn the_rest_of_the_index_is_read_as_it_says() {
    let Some(folder) = folder() else { return };
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let (mut shown, mut nobody) = (String::new(), Vec::new());
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, tool, path, _, text] = columns.as_slice() else { panic!("{line}") };
        let Some(place) = place(tool, file, path) else {
            nobody.push(*tool);
            continue;
        };
        if expected(text).is_some() {
            continue;
        }
        let reading = read_bytes(&source(place), &bytes(&folder.join(file)));
        let _ = write!(shown, "{file} {:?}:", reading.state);
        for definition in &reading.definitions {
            let (word, off) = got(&reading, &definition.name).unwrap();
            let _ = write!(shown, " {}({word}){}", definition.name, if off { "[off]" } else { "" });
        }
        let findings = reading.diagnostics.iter().map(|found| {
            let at = found.position.map(|at| format!("@{}:{}", at.line, at.column)).unwrap_or_default();
            format!("{}{at}", found.code)
        });
        let _ = writeln!(shown, " | {}", findings.collect::<Vec<_>>().join(" "));
    }
    nobody.sort_unstable();
    nobody.dedup();
    // Generators of other tools' files, an extension's own manifest, and files that their tools do not read.
    assert_eq!(nobody, ["claude-settings", "gemini", "gemini-ext", "ruler", "rulesync"]);
    insta::assert_snapshot!(shown);
}

#[test]
fn no_file_panics_under_any_dialect() {
    let Some(folder) = folder() else { return };
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let specs: Vec<Arc<_>> =
        discover::sources(&places(), &[], &crate::discover::NoFolders).into_iter().map(Arc::new).collect();
    for file in index.lines().skip(1).filter_map(|line| line.split('\t').next()) {
        let bytes = bytes(&folder.join(file));
        let decoded = crate::source::SourceText::decode(&bytes).unwrap();
        assert_eq!(decoded.encode(), bytes, "{file}");
        for spec in &specs {
            let reading = read_bytes(spec, &bytes);
            assert!(!matches!(reading.state, ReadState::Missing), "{file}");
        }
    }
}

/// As a program leaves a file that was stopped while writing.
#[test]
fn no_beginning_of_a_file_panics() {
    let Some(folder) = folder() else { return };
    let index = String::from_utf8(bytes(&folder.join("index.tsv"))).unwrap();
    let mut read = 0;
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, tool, path, _, _] = columns.as_slice() else { continue };
        let Some(place) = place(tool, file, path) else { continue };
        let (spec, bytes) = (source(place), bytes(&folder.join(file)));
        // Of the few large ones the beginning is enough.
        for end in (0..bytes.len().min(6_000)).step_by(7) {
            read_bytes(&spec, &bytes[..end]);
            read += 1;
        }
    }
    assert!(read > 10_000, "only {read} beginnings read");
}

/// On Windows, one folder can be there under two spellings: it is one project, with its servers once.
#[test]
fn one_folder_under_two_spellings_is_one_project() {
    let Some(folder) = folder() else { return };
    let bytes = bytes(&folder.join("337-claude-code-user.json"));
    let mut places = places();
    places.os = crate::places::Os::Windows;
    for project in [r"C:\Users\user\Desktop\Sample Project", r"c:\Users\user\Desktop\Sample Project"] {
        places.project = Some(PathBuf::from(project));
        let mut specs = discover::sources(&places, &[], &discover::NoFolders);
        specs.retain(|spec| spec.host.id == "claude-code" && spec.scope == crate::host::Scope::Local);
        let [spec] = <[_; 1]>::try_from(specs).unwrap();
        let reading = read_bytes(&Arc::new(spec), &bytes);
        assert_eq!(reading.definitions.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["x"]);
        let [warning] = reading.diagnostics.as_slice() else { panic!("{:#?}", reading.diagnostics) };
        assert!(warning.title.contains("`C:/Users/user/Desktop/Sample Project`"), "{}", warning.title);
        assert!(warning.title.contains("`c:/Users/user/Desktop/Sample Project`"), "{}", warning.title);
    }
}
