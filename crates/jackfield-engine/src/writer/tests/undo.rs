use jackfield_config::edit::Rewrite;

use super::*;

fn set(name: &str) -> Work {
    Work::Changes { format: Format::JSONC, changes: vec![add(name)], made: None, blank: None }
}

fn titled(title: &str, undoes: Option<u64>) -> Occasion {
    Occasion { title: title.to_owned(), undoes, ..occasion() }
}

fn undo(writer: &Writer, group: u64) -> Result<Option<u64>, WriteError> {
    let edits = writer.undo(group)?;
    Ok(writer.write(&edits, &titled("Undid", Some(group)))?.group)
}

fn text(path: &Path) -> Option<String> {
    fs::read_optional(path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn a_write_of_two_files_is_one_and_is_undone_as_one() {
    let home = home();
    let (old, new) = (home.folder.path().join("old.json"), home.folder.path().join("below/new.json"));
    fs::write_for_test(&old, "{\"a\": 1}");
    let edits = [file(&old, set("x")), file(&new, set("x"))];
    let done = home.writer.write(&edits, &titled("Copied `x`", None)).unwrap();
    let group = done.group.unwrap();
    assert_eq!(
        text(&new).as_deref(),
        Some("{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n")
    );
    let groups = home.writer.journal().groups();
    assert_eq!((groups.len(), groups[0].records.len(), groups[0].undone), (1, 2, false));
    assert_eq!(groups[0].records[0].title, "Copied `x`");

    // Also by a process that starts later.
    let later = Writer::new(&home.folder.path().join("state"), home.folder.path());
    let undoing = undo(&later, group).unwrap().unwrap();
    assert_eq!((text(&old).as_deref(), text(&new)), (Some("{\"a\": 1}"), None), "what we made goes");
    assert!(later.journal().groups().iter().any(|entry| entry.id == group && entry.undone));

    undo(&later, undoing).unwrap();
    assert!(text(&new).is_some(), "an undo can be undone");
    assert!(later.journal().groups().iter().all(|entry| entry.id != group || !entry.undone));
}

#[test]
fn undo_refuses_what_has_changed_since() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{}");
    let group = home.writer.write(&[file(&path, set("x"))], &occasion()).unwrap().group.unwrap();
    fs::write_for_test(&path, "{\"theirs\": true}");
    let error = undo(&home.writer, group).unwrap_err();
    assert_eq!(error.to_string(), "Cannot undo: ~/mcp.json has changed since");
    assert_eq!(text(&path).as_deref(), Some("{\"theirs\": true}"));
    let gone = undo(&home.writer, 99).unwrap_err();
    assert_eq!(gone.to_string(), "Cannot undo: it is not in the history any more");
}

#[test]
fn a_switch_that_was_undone_is_not_ours_any_more() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{\"mcpServers\": {\"x\": {}}}");
    let work = Work::Changes { format: Format::JSONC, changes: vec![off()], made: None, blank: None };
    let group = home.writer.write(&[file(&path, work)], &occasion()).unwrap().group.unwrap();
    assert!(home.inserted(&path, "x"));
    let undoing = undo(&home.writer, group).unwrap().unwrap();
    assert!(!home.inserted(&path, "x"));
    undo(&home.writer, undoing).unwrap();
    assert!(home.inserted(&path, "x"), "it is back, and still ours");
}

#[test]
fn when_the_second_file_cannot_be_written_the_first_is_as_it_was() {
    let home = home();
    let (good, bad) = (home.folder.path().join("good.json"), home.folder.path().join("bad.json"));
    fs::write_for_test(&good, "{}");
    fs::write_for_test(&bad, "{\"mcpServers\": 3}");
    let edits = [file(&good, set("x")), file(&bad, set("x"))];
    let error = home.writer.write(&edits, &occasion()).unwrap_err();
    assert!(error.to_string().starts_with("Cannot edit ~/bad.json: `mcpServers` is a number"), "{error}");
    assert_eq!(text(&good).as_deref(), Some("{}"));
    assert!(home.writer.journal().records().is_empty(), "told before anything was written");
}

#[cfg(unix)]
#[test]
fn a_failure_in_the_middle_is_taken_back() {
    let home = home();
    let (good, bad) = (home.folder.path().join("good.json"), home.folder.path().join("bad.json"));
    fs::write_for_test(&good, "{}");
    fs::write_for_test(&bad, "{}");
    let mut permissions = bad.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&bad, permissions).unwrap();
    let edits = [file(&good, set("x")), file(&bad, set("x"))];
    let error = home.writer.write(&edits, &occasion()).unwrap_err();
    assert!(error.to_string().contains("the file is read-only"), "{error}");
    assert_eq!((text(&good).as_deref(), text(&bad).as_deref()), (Some("{}"), Some("{}")));
    let groups = home.writer.journal().groups();
    assert!(groups.iter().all(|group| group.undone || group.records[0].undoes.is_some()), "{groups:?}");
}

#[test]
fn a_text_is_merged_with_what_changed_meanwhile_where_it_stands_apart() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    let base = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n";
    let work =
        |text: &str| Work::Text { format: Format::JSONC, base: base.to_owned(), text: text.to_owned() };
    fs::write_for_test(&path, &base.replace("\"d\": 4", "\"d\": 5"));
    home.writer.write(&[file(&path, work(&base.replace("\"a\": 1", "\"a\": 0")))], &occasion()).unwrap();
    assert_eq!(text(&path).as_deref(), Some("{\n  \"a\": 0,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 5\n}\n"));

    fs::write_for_test(&path, &base.replace("\"a\": 1", "\"a\": 7"));
    let edits = [file(&path, work(&base.replace("\"a\": 1", "\"a\": 0")))];
    match home.writer.write(&edits, &occasion()).unwrap_err() {
        WriteError::Conflict { versions, .. } => {
            assert!(versions.ours.contains("\"a\": 0") && versions.theirs.contains("\"a\": 7"));
        }
        other => panic!("{other}"),
    }
    let broken = home.writer.write(&[file(&path, work("{"))], &occasion());
    assert!(broken.is_err(), "what does not parse is not saved");
    assert_eq!(text(&path).unwrap(), base.replace("\"a\": 1", "\"a\": 7"));
}

#[test]
fn a_byte_order_mark_and_comments_can_go() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "\u{feff}{ // a\n}");
    let rewrite = |rewrite| Work::Rewrite { format: Format::JSONC, rewrite };
    home.writer.write(&[file(&path, rewrite(Rewrite::WithoutMark))], &occasion()).unwrap();
    assert_eq!(text(&path).as_deref(), Some("{ // a\n}"));
    home.writer.write(&[file(&path, rewrite(Rewrite::NoComments))], &occasion()).unwrap();
    assert_eq!(text(&path).as_deref(), Some("{\n}"));
}

#[test]
fn previews_write_nothing_and_follow_each_other() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    let edits = [file(&path, set("x")), file(&path, set("y"))];
    let previews = home.writer.preview(&edits).unwrap();
    assert_eq!(previews.len(), 1);
    assert_eq!(previews[0].before, None);
    let after = previews[0].after.as_deref().unwrap();
    assert!(after.contains("\"x\"") && after.contains("\"y\""), "{after}");
    assert_eq!(text(&path), None);
    assert!(home.writer.journal().records().is_empty());
}

/// A disk that was full, or a power cut, leaves half a line.
#[test]
fn a_line_of_the_journal_that_was_cut_off_costs_only_itself() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{}");
    home.writer.write(&[file(&path, set("a"))], &titled("one", None)).unwrap();
    let journal = home.folder.path().join("state/journal.jsonl");
    let whole = fs::read_optional(&journal).unwrap().unwrap();
    write_bytes(&journal, &[whole.as_slice(), b"{\"id\": 2, \"gro"].concat());
    let group = home.writer.write(&[file(&path, set("b"))], &titled("two", None)).unwrap().group.unwrap();
    let titles: Vec<String> =
        home.writer.journal().records().into_iter().map(|record| record.title).collect();
    assert_eq!(titles, ["one", "two"]);
    undo(&home.writer, group).unwrap();
    assert!(!text(&path).unwrap().contains("\"b\""));
}

/// The journal is written before the file. A program that is killed between the two leaves an entry of nothing.
#[test]
fn an_entry_whose_write_never_came_is_not_offered_for_undoing() {
    let home = home();
    let path = home.folder.path().join("mcp.json");
    fs::write_for_test(&path, "{}");
    let group = home.writer.write(&[file(&path, set("a"))], &titled("real", None)).unwrap().group.unwrap();
    let real = fs::read_optional(&path).unwrap().unwrap();
    home.writer.write(&[file(&path, set("b"))], &titled("phantom", None)).unwrap();
    write_bytes(&path, &real);
    let undone: Vec<(u64, bool)> =
        home.writer.journal().groups().iter().map(|group| (group.id, group.undone)).collect();
    assert_eq!(undone, [(group + 1, true), (group, false)]);
    undo(&home.writer, group).unwrap();
    assert_eq!(text(&path).as_deref(), Some("{}"));
}
