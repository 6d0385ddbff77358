//! Rules about files: their names, their sizes, and what must not stand in them.

use crate::tree;

/// A file that is longer has two subjects.
const MOST_LINES: usize = 700;

#[test]
fn no_module_is_called_mod() {
    for path in tree::with_ending("", &["rs"]) {
        assert!(!path.ends_with("mod.rs"), "{}: name it after its folder, beside it", tree::name(&path));
    }
}

#[test]
fn no_file_is_too_long() {
    let mut long = Vec::new();
    for folder in ["crates", "src-tauri", "ui/src", "tests", "bench", "fuzz"] {
        for path in tree::with_ending(folder, &["rs", "ts", "svelte", "mjs"]) {
            let lines = tree::text(&path).lines().count();
            if lines > MOST_LINES {
                long.push(format!("{}: {lines}", tree::name(&path)));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_test_file_is_part_of_its_program() {
    let manifest = tree::text(&tree::root().join("crates/jackfield-cli/Cargo.toml"));
    let mut programs = 0;
    for main in tree::with_ending("tests", &["rs"]).into_iter().filter(|path| path.ends_with("main.rs")) {
        programs += 1;
        let (text, folder) = (tree::text(&main), main.parent().unwrap());
        let declared = format!("path = \"../../{}\"", tree::name(&main));
        assert!(manifest.contains(&declared), "{} is not declared by jackfield-cli", tree::name(&main));
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|ending| ending == "rs") && path != main {
                let module = format!("mod {};", path.file_stem().unwrap().display());
                assert!(text.lines().any(|line| line == module), "{} is not compiled", tree::name(&path));
            }
        }
    }
    assert!(programs >= 3);
}

/// What this machine knows about itself and no other machine has: where the repository and the user's home are.
#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let mut needles =
        vec![tree::root().display().to_string(), "/wo".to_owned() + "rk/shared", "/tmp/t".to_owned() + "gt-"];
    needles.extend(std::env::var("HOME").ok().filter(|home| home.len() > 3).map(|home| home + "/"));
    for path in tree::files("") {
        let text = tree::text(&path);
        for needle in &needles {
            let at = text.lines().position(|line| line.contains(needle.as_str()));
            assert!(at.is_none(), "{}:{} holds `{needle}`", tree::name(&path), at.unwrap_or(0) + 1);
        }
    }
}

#[test]
fn packages_come_from_the_public_registries() {
    for path in tree::files("") {
        let (name, text) = (tree::name(&path), tree::text(&path));
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            ![".npmrc", "pip.conf", ".pypirc", ".yarnrc"].contains(&file.as_str()),
            "{name} names registries"
        );
        match file.as_str() {
            "Cargo.lock" => {
                let public =
                    format!("source = \"registry+https://{}/rust-lang/crates.io-index\"", "github.com");
                let other = text.lines().find(|line| line.starts_with("source = ") && *line != public);
                assert_eq!(other, None, "{name}");
            }
            "package-lock.json" => {
                // npm finds them by name; an address would tie the project to one registry.
                assert_eq!(text.lines().find(|line| line.contains("\"resolved\":")), None, "{name}");
            }
            "requirements.txt" => assert!(!text.contains("index-url") && !text.contains("://"), "{name}"),
            "config.toml" if name.starts_with(".cargo") => {
                assert!(!text.contains("[source") && !text.contains("[registr"), "{name}");
            }
            _ => {}
        }
    }
}
