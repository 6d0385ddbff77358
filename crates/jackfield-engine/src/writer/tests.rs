use std::sync::atomic::{AtomicBool, Ordering};

use jackfield_config::edit::{Missing, Place, Target};
use jackfield_config::source::Encoding;

use super::*;

mod undo;

struct Home {
    folder: tempfile::TempDir,
    writer: Writer,
}

fn home() -> Home {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::new(&folder.path().join("state"), folder.path());
    Home { folder, writer }
}

impl Writer {
    /// One change of one file.
    fn edit(&self, path: &Path, change: &Change) -> Result<Written, WriteError> {
        self.edit_with(path, change, || {})
    }

    fn edit_with(
        &self,
        path: &Path,
        change: &Change,
        meanwhile: impl FnMut(),
    ) -> Result<Written, WriteError> {
        let work = Work::Changes { format: Format::JSONC, changes: vec![change.clone()] };
        Ok(self.write_one(&file(path, work), &occasion(), None, meanwhile)?.0)
    }
}

fn file(path: &Path, work: Work) -> FileEdit {
    FileEdit { path: path.to_owned().into(), mode: Mode::Private, work }
}

fn occasion() -> Occasion {
    let (title, by) = ("Changed".to_owned(), "test".to_owned());
    Occasion { title, by, at: SystemTime::UNIX_EPOCH, undoes: None }
}

fn root() -> Vec<String> {
    vec!["mcpServers".to_owned()]
}

fn off() -> Change {
    Change::set_flag(&root(), "x", "enabled", false)
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::list(folder)
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_switch_goes_in_and_out_and_the_journal_knows() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    // BOM, CRLF, no final line end.
    let before = "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"x\": {\r\n            \"command\": \"y\"\r\n        }\r\n    }\r\n}";
    fs::write_for_test(&path, before);
    let written = home.writer.edit(&path, &off()).unwrap();
    assert!(!written.is_unchanged());
    let after = before.replace("\"command\"", "\"enabled\": false,\r\n            \"command\"");
    assert_eq!(fs::read(&path).unwrap(), after.as_bytes());
    assert!(home.writer.inserted(&path, &root(), "x", "enabled"));
    assert!(!home.writer.inserted(&path, &root(), "y", "enabled"));
    let record = &home.writer.journal().records()[0];
    assert_eq!(home.writer.journal().text(record.before.as_deref().unwrap()).unwrap(), before.as_bytes());
    assert_eq!(home.writer.journal().text(record.after.as_deref().unwrap()).unwrap(), after.as_bytes());
    assert_eq!(fs::read(&home.writer.original(&path)).unwrap(), before.as_bytes());

    let again = home.writer.edit(&path, &off()).unwrap();
    assert!(again.is_unchanged());
    let back = Change::remove_flag(&root(), "x", "enabled");
    home.writer.edit(&path, &back).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before.as_bytes());
    assert!(!home.writer.inserted(&path, &root(), "x", "enabled"));
    assert_eq!(home.writer.journal().records().len(), 2);
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"]);
}

#[test]
fn utf_16_stays_utf_16() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    let text = SourceText {
        text: "{\"mcpServers\": {\"x\": {\"command\": \"é\"}}}".to_owned(),
        encoding: Encoding::Utf16Le,
    };
    write_bytes(&path, &text.encode());
    home.writer.edit(&path, &off()).unwrap();
    let now = SourceText::decode(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(now.encoding, Encoding::Utf16Le);
    assert_eq!(now.text, "{\"mcpServers\": {\"x\": {\"enabled\": false, \"command\": \"é\"}}}");
}

#[test]
fn the_denylist_is_made_and_emptied_again() {
    let home = home();
    let path = home.folder.path().join(".xcsh/mcp.json");
    let list = vec!["disabledServers".to_owned()];
    home.writer.edit(&path, &Change::list_add(&list, "x")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"{\n  \"disabledServers\": [\"x\"]\n}\n");
    assert_eq!(home.writer.created(&path, &list, "x"), Some(list.clone()));
}

#[test]
fn what_cannot_be_edited_is_said_with_its_place_and_left_alone() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    let refused = |text: &str| {
        fs::write_for_test(&path, text);
        let error = home.writer.edit(&path, &off()).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        error.to_string()
    };
    assert_eq!(
        refused("{\n  \"a\": }"),
        "Cannot edit ~/mcp.json: unexpected close brace at line 2, column 8"
    );
    assert_eq!(
        refused("{\"mcpServers\": 3}"),
        "Cannot edit ~/mcp.json: `mcpServers` is a number, not an object, at line 1, column 16"
    );
    write_bytes(&path, b"{\"a\": \"\xff\"}");
    let error = home.writer.edit(&path, &off()).unwrap_err().to_string();
    assert!(error.starts_with("Cannot edit ~/mcp.json: neither UTF-8 nor"), "{error}");
    assert!(home.writer.journal().records().is_empty());
    assert!(files(&home.folder.path().join("state/originals")).is_empty(), "no write, no copy");
}

#[test]
fn what_another_program_writes_meanwhile_is_kept() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{\"mcpServers\": {\"x\": {\"command\": \"old\"}}}");
    let mut news = vec!["{\"new\": 1, \"mcpServers\": {\"x\": {\"command\": \"new\"}}}"];
    let meanwhile = || {
        if let Some(text) = news.pop() {
            fs::write_for_test(&path, text);
        }
    };
    home.writer.edit_with(&path, &off(), meanwhile).unwrap();
    let want = "{\"new\": 1, \"mcpServers\": {\"x\": {\"enabled\": false, \"command\": \"new\"}}}";
    assert_eq!(fs::read(&path).unwrap(), want.as_bytes());
    assert_eq!(home.writer.journal().records().len(), 1, "what did not happen is not in it");

    fs::write_for_test(&path, "{\"mcpServers\": {\"x\": {}}}");
    let gone = home.writer.edit_with(&path, &off(), || fs::write_for_test(&path, "{}")).unwrap_err();
    match gone {
        WriteError::Conflict { versions, .. } => {
            let Versions { ours, theirs, .. } = *versions;
            assert_eq!(
                (ours.as_str(), theirs.as_str()),
                ("{\"mcpServers\": {\"x\": {\"enabled\": false}}}", "{}")
            );
        }
        other => panic!("{other}"),
    }
    let mut count = 0;
    fs::write_for_test(&path, "{\"mcpServers\": {\"x\": {}}}");
    let busy = home.writer.edit_with(&path, &off(), || {
        count += 1;
        fs::write_for_test(&path, &format!("{{\"mcpServers\": {{\"x\": {{\"n\": {count}}}}}}}"));
    });
    assert!(matches!(busy, Err(WriteError::Busy { .. })), "{busy:?}");
    assert_eq!(home.writer.journal().records().len(), 1);
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"]);
}

fn add(name: &str) -> Change {
    Change::Set {
        target: Target { root: root(), keys: vec![name.to_owned()], list: false },
        value: serde_json::json!({"command": name}),
        place: Place::Last,
        missing: Missing::Create,
    }
}

fn servers(path: &Path) -> usize {
    let value: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    value["mcpServers"].as_object().map_or(0, serde_json::Map::len)
}

/// A30: every edit of every writer is there in the end, and every reader sees a whole file at any time.
#[test]
fn eight_writers_and_a_reader() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{}");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                servers(&path);
            }
        });
        let writers: Vec<_> = (0..8)
            .map(|thread| {
                let (writer, path) = (&home.writer, &path);
                scope.spawn(move || {
                    for index in 0..50 {
                        writer.edit(path, &add(&format!("{thread}-{index}"))).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(servers(&path), 400);
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"]);
    assert_eq!(home.writer.journal().records().len(), 400);
}

/// The body of the other processes below; nothing by itself.
#[test]
fn a_writing_process() {
    let Some(folder) = std::env::var_os("JACKFIELD_TEST_WRITER").map(PathBuf::from) else { return };
    let writer = Writer::new(&folder.join("state"), &folder);
    let path = folder.join("mcp.json");
    let count = if std::env::var_os("JACKFIELD_TEST_FOREVER").is_some() { usize::MAX } else { 20 };
    for index in 0..count {
        writer.edit(&path, &add(&format!("{}-{index}", std::process::id()))).unwrap();
    }
}

fn process(folder: &Path) -> std::process::Command {
    #[expect(clippy::disallowed_methods, reason = "the test itself, as another process")]
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "writer::tests::a_writing_process", "--quiet"])
        .env("JACKFIELD_TEST_WRITER", folder)
        .stdout(std::process::Stdio::null());
    command
}

#[test]
fn several_processes() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    let children: Vec<_> = (0..4).map(|_| process(home.folder.path()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(servers(&path), 80);
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"]);
}

#[test]
fn a_process_that_is_killed_leaves_a_whole_file_and_no_lock() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{}");
    for _ in 0..5 {
        let mut child = process(home.folder.path()).env("JACKFIELD_TEST_FOREVER", "1").spawn().unwrap();
        let before = servers(&path);
        let patience = std::time::Instant::now();
        while servers(&path) < before + 3 && patience.elapsed().as_secs() < 20 {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(servers(&path) >= before + 3);
    }
    home.writer.edit(&path, &add("last")).unwrap();
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"], "what the killed left is swept");
}

#[test]
fn the_journal_is_bounded_but_remembers_our_switches() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{\"mcpServers\": {\"x\": {\"command\": \"y\"}}}");
    home.writer.edit(&path, &off()).unwrap();
    for index in 0..700 {
        let change = Change::Set {
            target: Target { root: root(), keys: vec!["x".to_owned(), "timeout".to_owned()], list: false },
            value: index.into(),
            place: Place::Last,
            missing: Missing::Refuse,
        };
        home.writer.edit(&path, &change).unwrap();
    }
    let records = home.writer.journal().records();
    assert!(records.len() <= 620, "{}", records.len());
    assert!(files(&home.folder.path().join("state/journal")).len() <= 620);
    assert!(home.writer.inserted(&path, &root(), "x", "enabled"));
}

fn write_bytes(path: &Path, bytes: &[u8]) {
    fs::write_atomic(path, bytes, Mode::Private).unwrap();
}
