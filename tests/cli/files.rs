//! `jackfield sources`, `projects` and `doctor`; a broken file costs only itself.

use serde_json::json;

use crate::support::{Home, fake};

#[test]
fn sources_tell_every_file_with_what_it_holds() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("a", json!({"command": "sh"})), ("b", json!({"command": "sh"}))]);
    home.write(
        "home/.cursor/mcp.json",
        "{ \"mcpServers\": {\n  \"x\": { \"command\": \"C:\\tools\\x\" }\n}}",
    );
    home.write("home/.gemini/settings.json", "");
    home.servers("project/.mcp.json", &[("p", json!({"command": "sh"}))]);
    let ran = home.in_project(&["sources"]).exits(0);
    insta::assert_snapshot!("sources_text", home.plain(&ran.stdout));
    let sources = home.in_project(&["sources", "--json"]).exits(0).json();
    let all = sources["sources"].as_array().unwrap();
    for source in all {
        let keys: Vec<_> = source.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["host", "scope", "path", "exists", "servers", "error"]);
    }
    let of =
        |path: &std::path::Path| all.iter().find(|source| source["path"] == *path.to_str().unwrap()).unwrap();
    let cursor = of(&home.path("home/.cursor/mcp.json"));
    assert_eq!((&cursor["servers"], &cursor["exists"]), (&json!(null), &json!(true)));
    assert!(cursor["error"].as_str().unwrap().contains('\\'), "it tells of the backslash: {cursor:#}");
    assert_eq!(of(&home.path("home/.gemini/settings.json"))["servers"], 0);
    assert_eq!(of(&home.path("project/.mcp.json"))["host"], "mcp.json");
    assert!(
        all.iter().any(|source| source["exists"] == false),
        "those that are not there are looked at, too"
    );
}

#[test]
fn projects_are_offered_and_never_opened() {
    let home = Home::new();
    for folder in ["home/code/a/.git", "home/code/b"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    let a = home.path("home/code/a").display().to_string();
    home.write("home/.claude.json", &json!({"projects": {a.as_str(): {}, "/gone/away": {}}}).to_string());
    let projects = home.jackfield(&["projects", "--json"]).exits(0).json();
    assert_eq!(projects["current"], json!(null));
    assert_eq!(projects["candidates"][0]["path"], a.as_str());
    assert_eq!(projects["candidates"].as_array().unwrap().len(), 1);
    let projects = home.jackfield(&["projects", "--json", "--project", &a]).exits(0).json();
    assert_eq!(projects["current"]["path"], a.as_str());
    let ran = home.jackfield(&["projects"]).exits(0);
    assert!(ran.stdout.contains("~/code/a"), "{ran:#?}");
}

#[test]
fn the_project_is_the_nearest_folder_with_a_source_and_never_home() {
    let home = Home::new();
    home.servers("project/.mcp.json", &[("p", json!({"command": "sh"}))]);
    let names = |list: serde_json::Value| list["servers"].as_array().unwrap().len();
    assert_eq!(names(home.in_project(&["list", "--json", "--no-connect"]).exits(0).json()), 1);
    assert_eq!(
        names(home.in_project(&["list", "--json", "--no-connect", "--no-project"]).exits(0).json()),
        0
    );
    // A `.mcp.json` in the home directory is no project's.
    home.servers("home/.mcp.json", &[("h", json!({"command": "sh"}))]);
    let projects = home.jackfield(&["projects", "--json"]).exits(0).json();
    assert_eq!(projects["current"], json!(null));
    home.jackfield(&["list", "--project", home.home().to_str().unwrap()]).exits(2);
}

#[test]
fn a_clean_machine_has_nothing_wrong() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("good", fake(&[]))]);
    let ran = home.jackfield(&["doctor"]).exits(0);
    assert_eq!(ran.stdout, "Nothing is wrong.\n");
    assert_eq!(home.jackfield(&["doctor", "--json"]).exits(0).json(), json!({"diagnostics": []}));
}

#[test]
fn doctor_tells_each_trouble_with_its_place_and_cure() {
    let home = Home::new();
    home.write(
        "home/.cursor/mcp.json",
        "{\n  \"mcpServers\": {\n    \"line\": { \"command\": \"sh -c x\" },\n    \"tilde\": { \"command\": \"cat\", \"args\": [\"~/x\"] },\n    \"late\": { \"command\": \"sh\", \"args\": [\"-c\", \"exit 3\"] },\n    \"var\": { \"url\": \"http://127.0.0.1:9/${TEAM}\" }\n  },\n}\n",
    );
    home.write("home/.codex/config.toml", "[mcp_servers.x]\ncommand = \"sh\"\n[mcp_servers.x]\n");
    home.write(
        "home/.xcsh/mcp.json",
        "{ \"mcpServers\": { \"a\": { \"command\": \"sh\", \"timeout\": \"soon\" } } }",
    );
    let ran = home.jackfield(&["doctor", "--no-connect"]).exits(3);
    let text = ran.stdout.replace(&home.env()["PATH"], "$PATH");
    insta::assert_snapshot!("doctor_text", home.plain(&format!("{text}--- stderr\n{}", ran.stderr)));
    let ran = home.jackfield(&["doctor"]).exits(3);
    assert!(ran.stdout.contains("connect-failed"), "what only connecting shows is told as well: {ran:#?}");
}

#[test]
fn a_broken_file_costs_only_itself() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("good", fake(&["--tools", "1"]))]);
    let broken = [
        ("home/.cursor/mcp.json", "{ \"mcpServers\": {\n  \"x\": }"),
        ("home/.claude.json", "[]"),
        ("home/.codex/config.toml", "[mcp_servers.x\n"),
        ("home/.gemini/settings.json", "{\"mcpServers\": 3}"),
        ("home/.config/Code/User/mcp.json", "\u{0}\u{1}"),
    ];
    for (path, text) in broken {
        home.write(path, text);
    }
    // A folder in a file's place, and a file that may not be read.
    std::fs::create_dir_all(home.path("home/.codeium/windsurf/mcp_config.json")).unwrap();
    let list = home.jackfield(&["list", "--json"]).exits(0).json();
    assert_eq!(list["servers"].as_array().unwrap().len(), 1, "{list:#}");
    assert_eq!(list["servers"][0]["status"], "connected");
    let found = list["diagnostics"].as_array().unwrap();
    for (path, text) in broken {
        let path = home.path(path).display().to_string();
        let about: Vec<_> = found.iter().filter(|found| found["path"] == path.as_str()).collect();
        assert!(!about.is_empty(), "{path} with {text:?} is not told: {found:#?}");
    }
    let cursor = found
        .iter()
        .find(|found| found["path"].as_str().is_some_and(|path| path.contains(".cursor")))
        .unwrap();
    assert_eq!((&cursor["code"], &cursor["line"]), (&json!("file-syntax"), &json!(2)), "{cursor:#}");
    assert!(cursor["column"].is_u64(), "{cursor:#}");
    let folder =
        found.iter().find(|found| found["path"].as_str().is_some_and(|path| path.contains("windsurf")));
    assert_eq!(folder.unwrap()["code"], "file-unreadable");
    for (path, text) in broken {
        assert_eq!(home.read(path), text, "looking changes nothing");
    }
}

#[test]
fn a_broken_settings_file_is_told_and_changes_nothing() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("good", fake(&[]))]);
    home.write("home/.config/jackfield/settings.json", "{ \"enable_mcp\": false, ");
    let ran = home.jackfield(&["list", "--json"]).exits(0);
    assert_eq!(ran.json()["servers"][0]["status"], "connected");
    assert_eq!(ran.json()["diagnostics"][0]["code"], "own-file-broken");
}

#[test]
fn files_that_no_tool_reads_are_pointed_out() {
    let home = Home::new();
    home.servers("home/.gemini/mcp.json", &[("x", json!({"command": "sh"}))]);
    home.servers("home/.windsurf/mcp_config.json", &[("x", json!({"command": "sh"}))]);
    let found = home.jackfield(&["doctor", "--json"]).exits(0).json();
    let codes: Vec<_> = found["diagnostics"].as_array().unwrap().iter().map(|found| &found["code"]).collect();
    assert_eq!(codes, ["unread-file", "unread-file"], "{found:#}");
    let list = home.jackfield(&["list", "--json"]).exits(0).json();
    assert_eq!(list["servers"], json!([]), "they are not read");
}

#[test]
fn a_thousand_servers_are_listed_quickly() {
    let home = Home::new();
    let names: Vec<String> = (0..1000).map(|i| format!("server-{i}")).collect();
    let servers: Vec<_> =
        names.iter().map(|name| (name.as_str(), json!({"command": "sh", "args": [name]}))).collect();
    home.servers("home/.xcsh/mcp.json", &servers);
    let start = std::time::Instant::now();
    let list = home.jackfield(&["list", "--json", "--no-connect"]).exits(0).json();
    assert_eq!(list["servers"].as_array().unwrap().len(), 1000);
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn the_doctor_names_what_is_still_connecting() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("quiet", fake(&["--silent"]))]);
    let ran = home.jackfield(&["doctor", "--wait", "0.5"]).exits(0);
    assert!(ran.stdout.contains("`quiet` is still connecting [still-connecting]"), "{ran:#?}");
}

#[test]
fn what_is_no_file_costs_only_itself() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("good", fake(&[]))]);
    std::fs::create_dir_all(home.path("home/.cursor")).unwrap();
    let pipe = home.path("home/.cursor/mcp.json");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    std::fs::create_dir_all(home.path("home/.gemini")).unwrap();
    std::os::unix::fs::symlink("../nowhere.json", home.path("home/.gemini/settings.json")).unwrap();
    let listed = home.jackfield(&["list", "--json"]).exits(0).json();
    assert_eq!(listed["servers"][0]["status"], "connected", "{listed:#}");
    let doctor = home.jackfield(&["doctor", "--no-connect"]).exits(3);
    assert!(doctor.stdout.contains("not a regular file"), "{doctor:#?}");
    assert!(doctor.stdout.contains("a link to `../nowhere.json`, which does not exist"), "{doctor:#?}");
}

#[test]
fn data_that_cannot_be_written_is_told() {
    let home = Home::new();
    home.servers("home/.xcsh/mcp.json", &[("good", fake(&[]))]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = home.jackfield_into(&["list", "--json", "--no-connect"], full.into());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("cannot write to standard output"), "{ran:#?}");
}
