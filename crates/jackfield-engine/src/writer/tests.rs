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
    home_in(tempfile::tempdir().unwrap())
}

/// In memory, where there is such a place: for thousands of writes, each of which waits for the disk otherwise.
fn quick_home() -> Home {
    home_in(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
}

fn home_in(folder: tempfile::TempDir) -> Home {
    let writer = Writer::new(&folder.path().join("state"), folder.path());
    Home { folder, writer }
}

impl Home {
    /// Whether the switch of a server is one that we put there.
    fn inserted(&self, path: &Path, name: &str) -> bool {
        let switch = Target { root: root(), keys: vec![name.to_owned(), "enabled".to_owned()], list: false };
        self.writer.inserted(path, Format::JSONC, &switch)
    }
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
        let work =
            Work::Changes { format: Format::JSONC, changes: vec![change.clone()], made: None, blank: None };
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
    assert!(home.inserted(&path, "x"));
    assert!(!home.inserted(&path, "y"));
    let record = &home.writer.journal().records()[0];
    assert_eq!(home.writer.journal().text(record.before.as_deref().unwrap()).unwrap(), before.as_bytes());
    assert_eq!(home.writer.journal().text(record.after.as_deref().unwrap()).unwrap(), after.as_bytes());
    assert_eq!(fs::read(&home.writer.original(&path)).unwrap(), before.as_bytes());

    let again = home.writer.edit(&path, &off()).unwrap();
    assert!(again.is_unchanged());
    let back = Change::remove_flag(&root(), "x", "enabled");
    home.writer.edit(&path, &back).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before.as_bytes());
    assert!(!home.inserted(&path, "x"));
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

/// The body of the other processes below; nothing by itself. It writes as many servers as it is told, or, told nothing,
/// one number after the other until it is killed.
#[test]
fn a_writing_process() {
    let Some(folder) = std::env::var_os("JACKFIELD_TEST_WRITER").map(PathBuf::from) else { return };
    let writer = Writer::new(&folder.join("state"), &folder);
    let path = folder.join("mcp.json");
    match std::env::var("JACKFIELD_TEST_COUNT") {
        Ok(count) => {
            for index in 0..count.parse().unwrap() {
                writer.edit(&path, &add(&format!("{}-{index}", std::process::id()))).unwrap();
            }
        }
        Err(_) => {
            for number in number_in(&fs::read(&path).unwrap()) + 1.. {
                writer.edit(&path, &set_number(number)).unwrap();
            }
        }
    }
}

fn process(folder: &Path) -> std::process::Command {
    #[expect(clippy::disallowed_methods, reason = "the test itself, as another process")]
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "writer::tests::a_writing_process", "--quiet", "--nocapture"])
        .env("JACKFIELD_TEST_WRITER", folder)
        .stdout(std::process::Stdio::null());
    command
}

#[test]
fn eight_processes_and_a_reader() {
    let home = quick_home();
    let path = home.folder.path().join("mcp.json");
    let mut children: Vec<_> = (0..8)
        .map(|_| process(home.folder.path()).env("JACKFIELD_TEST_COUNT", "50").spawn().unwrap())
        .collect();
    let mut most = 0;
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        // Each look parses, and nothing that was there is gone.
        let seen = if path.exists() { servers(&path) } else { 0 };
        assert!(seen >= most, "{seen} after {most}");
        most = seen;
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(servers(&path), 400);
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"]);
}

/// A file in which one number is changed, with enough around it that a torn write would be seen.
fn numbered(number: u64) -> String {
    let rest: String =
        (0..40).map(|index| format!("    \"s{index}\": {{\"command\": \"run\"}}, // kept\n")).collect();
    format!(
        "{{\n  \"mcpServers\": {{\n{rest}    \"x\": {{\"command\": \"y\", \"timeout\": {number}}}\n  }}\n}}\n"
    )
}

fn set_number(number: u64) -> Change {
    Change::Set {
        target: Target { root: root(), keys: vec!["x".to_owned(), "timeout".to_owned()], list: false },
        value: number.into(),
        place: Place::Last,
        missing: Missing::Refuse,
    }
}

/// The number in a file that is as it should be, byte by byte.
fn number_in(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).unwrap();
    let (_, tail) = text.rsplit_once("\"timeout\": ").unwrap_or_else(|| panic!("torn: {text:?}"));
    let number = tail.split('}').next().unwrap().parse().unwrap_or_else(|_| panic!("torn: {text:?}"));
    assert_eq!(text, numbered(number));
    number
}

#[test]
fn a_process_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let home = quick_home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, &numbered(0));
    let mut random = 20_251_125_u64;
    let (mut kills, mut writes) = (0, 0);
    while writes < 1_000 {
        let mut child = process(home.folder.path()).spawn().unwrap();
        let begin = number_in(&fs::read(&path).unwrap());
        // Some writes later, and then at any moment of the next.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = begin + 1 + (random >> 33) % 40;
        let patience = std::time::Instant::now();
        while number_in(&fs::read(&path).unwrap()) < after && patience.elapsed().as_secs() < 60 {}
        let moment = std::time::Instant::now();
        let within = std::time::Duration::from_micros((random >> 40) % 4_000);
        while moment.elapsed() < within {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let end = number_in(&fs::read(&path).unwrap());
        assert!(end >= after, "{end} is not {after}");
        writes = end;
        kills += 1;
    }
    assert!(kills > 20, "{kills} kills");
    home.writer.edit(&path, &set_number(0)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numbered(0).as_bytes());
    assert_eq!(files(home.folder.path()), ["mcp.json", "state"], "what the killed left is swept");
}

#[test]
fn the_journal_is_bounded_but_remembers_our_switches() {
    let home = quick_home();
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
    assert!(home.inserted(&path, "x"));
}

fn write_bytes(path: &Path, bytes: &[u8]) {
    fs::write_atomic(path, bytes, Mode::Private).unwrap();
}
