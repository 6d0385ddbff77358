use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = list(folder)
        .iter()
        .filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_not_there_is_nothing_and_what_cannot_be_read_says_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    assert!(read_optional(&file).unwrap().is_none());
    write_for_test(&file, "x");
    assert!(read_optional(&file.join("below")).unwrap().is_none(), "below a file");
    assert_eq!(read(&file).unwrap(), b"x");
    let error = read(folder.path()).unwrap_err();
    assert_eq!(error.message(folder.path().parent().unwrap()).split('`').nth(2), Some(": it is a folder"));
    assert!(read_bounded(&file, 0).unwrap_err().to_string().contains("more than 0 bytes"));
    assert_eq!(read(&folder.path().join("b")).unwrap_err().words(), "no such file or directory");
}

#[test]
fn a_failed_write_leaves_the_old_content_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    write_for_test(&file, "old");
    let done = write_checked(&file, b"new", Mode::Private, Durability::Quick, || false).unwrap();
    assert!(!done);
    assert_eq!(read(&file).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a"]);
    std::fs::create_dir(folder.path().join("d")).unwrap();
    assert!(write_atomic(&folder.path().join("d"), b"new", Mode::Private).is_err());
    let below = write_atomic(&file.join("b"), b"new", Mode::Private).unwrap_err();
    assert!(below.to_string().contains("`"), "{below}");
    assert_eq!(names(folder.path()), ["a", "d"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn modes() {
        let folder = tempfile::tempdir().unwrap();
        let private = folder.path().join("home/.x/mcp.json");
        write_atomic(&private, b"{}", Mode::Private).unwrap();
        assert_eq!((mode(&private), mode(private.parent().unwrap())), (0o600, 0o700));
        let shared = folder.path().join("project/.x/mcp.json");
        write_atomic(&shared, b"{}", Mode::Shared).unwrap();
        // What the umask makes of a file that anybody else makes.
        let plain = folder.path().join("plain");
        write_for_test(&plain, "");
        assert_eq!(mode(&shared), mode(&plain));
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o664)).unwrap();
        write_atomic(&shared, b"[]", Mode::Private).unwrap();
        assert_eq!(mode(&shared), 0o664, "a mode that is there stays");
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o444)).unwrap();
        let error = write_atomic(&shared, b"{}", Mode::Shared).unwrap_err();
        assert_eq!(error.words(), "the file is read-only");
        assert_eq!(read(&shared).unwrap(), b"[]");
        assert_eq!(names(shared.parent().unwrap()), ["mcp.json"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("dotfiles")).unwrap();
        let (target, link) = (folder.path().join("dotfiles/mcp.json"), folder.path().join("mcp.json"));
        symlink("dotfiles/mcp.json", &link).unwrap();
        let error = write_atomic(&link, b"new", Mode::Private).unwrap_err();
        assert_eq!(error.words(), "it is a link to `dotfiles/mcp.json`, which does not exist");
        write_for_test(&target, "old");
        write_atomic(&link, b"new", Mode::Private).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&target).unwrap(), b"new");
        assert_eq!(names(&folder.path().join("dotfiles")), ["mcp.json"]);
    }

    #[test]
    fn one_lock_for_all_ways_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let (state, file, link) =
            (folder.path().join("state"), folder.path().join("a"), folder.path().join("b"));
        write_for_test(&file, "");
        symlink(&file, &link).unwrap();
        let guard = lock(&state, &file).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock(&state, &link).map(|_| ()));
            std::thread::sleep(std::time::Duration::from_millis(30));
            assert!(!waiting.is_finished());
            drop(guard);
            waiting.join().unwrap().unwrap();
        });
        assert_eq!(names(&state.join("locks")).len(), 1);
    }
}
