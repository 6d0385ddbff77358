use super::*;
use crate::read::testing::places;

fn check(places: &Places, order: &[&str]) -> String {
    let order: Vec<String> = order.iter().map(|id| (*id).to_owned()).collect();
    let lines: Vec<String> = sources(places, &order, &crate::discover::NoFolders)
        .iter()
        .map(|spec| {
            format!(
                "{:2} {} {} {} #{}",
                spec.rank,
                spec.host.id,
                spec.scope.as_str(),
                spec.path.display(),
                spec.root.join(".")
            )
        })
        .collect();
    lines.join("\n")
}

#[test]
fn everywhere_on_linux() {
    insta::assert_snapshot!(check(&places(), &[]));
}

#[test]
fn elsewhere() {
    let mut mac = places();
    mac.os = Os::MacOs;
    mac.project = None;
    mac.system_root = PathBuf::from("/fake");
    let mut windows = mac.clone();
    windows.os = Os::Windows;
    let overrides = [
        ("CLAUDE_CONFIG_DIR", "/cc"),
        ("CODEX_HOME", "/cx"),
        ("XDG_CONFIG_HOME", "/xdg"),
        ("OPENCODE_CONFIG", "/oc.json"),
        ("APPDATA", "/appdata"),
    ];
    let mut with_env = windows.clone();
    with_env.env = Arc::new(overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
    insta::assert_snapshot!(
        [check(&mac, &["vscode", "nonsense"]), check(&windows, &[]), check(&with_env, &[])].join("\n\n")
    );
}

#[test]
fn a_file_reached_twice_is_one_source() {
    let mut places = places();
    places.project = Some(places.home.clone());
    let mut all = sources(&places, &[], &crate::discover::NoFolders);
    let cursor: Vec<Scope> =
        all.iter().filter(|spec| spec.host.id == "cursor").map(|spec| spec.scope).collect();
    assert_eq!(cursor, [Scope::User, Scope::User]);
    dedup(&mut all, &|_| PathBuf::from("/same"));
    let mut roots: Vec<_> = all.iter().map(|spec| spec.root.clone()).collect();
    roots.sort();
    roots.dedup();
    assert_eq!(all.len(), roots.len());
    assert!(all.iter().zip(0..).all(|(spec, rank)| spec.rank == rank));
}

/// A variable that names a file stands for the usual place; the host does not read both.
#[test]
fn an_override_replaces_what_it_stands_for() {
    let paths = |set: &[&str], host: &str| {
        let mut places = places();
        places.project = None;
        let env = set.iter().map(|name| ((*name).to_owned(), format!("/o/{name}")));
        places.env = Arc::new(env.collect());
        let all = sources(&places, &[], &NoFolders);
        let own = all.iter().filter(|spec| spec.host.id == host);
        own.map(|spec| spec.path.display().to_string()).collect::<Vec<_>>()
    };
    let has = |set: &[&str], host: &str, path: &str| paths(set, host).iter().any(|own| own == path);
    let (set, usual) = ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/etc/gemini-cli/settings.json");
    assert!(has(&[], "gemini", usual));
    assert!(has(&[set], "gemini", "/o/GEMINI_CLI_SYSTEM_SETTINGS_PATH"));
    assert!(!has(&[set], "gemini", usual));
    assert!(has(&[set], "gemini", "/etc/gemini-cli/system-defaults.json"));
    let (set, usual) = ("QWEN_CODE_SYSTEM_DEFAULTS_PATH", "/etc/qwen-code/system-defaults.json");
    assert!(has(&[], "qwen", usual) && !has(&[set], "qwen", usual));
    let usual = "/home/u/.cline/data/settings/cline_mcp_settings.json";
    assert!(has(&[], "cline", usual));
    assert!(!has(&["CLINE_DATA_DIR"], "cline", usual));
    let both = paths(&["CLINE_MCP_SETTINGS_PATH", "CLINE_DATA_DIR"], "cline");
    assert_eq!(both, ["/o/CLINE_MCP_SETTINGS_PATH", "/home/u/.cline/mcp.json"]);
    assert!(has(&["CRUSH_GLOBAL_CONFIG"], "crush", "/o/CRUSH_GLOBAL_CONFIG/crush.json"));
    assert!(has(&["XDG_CONFIG_HOME"], "crush", "/o/XDG_CONFIG_HOME/crush/crush.json"));
}

/// A disk of these files.
pub(super) struct Files<'a>(pub(super) &'a [&'a str]);

impl Folders for Files<'_> {
    fn names(&self, folder: &Path) -> Vec<String> {
        let below = self.0.iter().filter_map(|file| Path::new(file).strip_prefix(folder).ok());
        let first = below.filter_map(|rest| rest.components().next());
        let mut names: Vec<String> =
            first.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.iter().any(|file| Path::new(file).starts_with(path))
    }
}

#[test]
fn what_patterns_and_walks_find() {
    let disk = Files(&[
        "/home/u/.claude/plugins/cache/m/p/1.0/.mcp.json",
        "/home/u/.claude/plugins/cache/m/p/1.0/.orphaned_at",
        "/home/u/.claude/plugins/cache/m/p/1.1/.mcp.json",
        "/home/u/.config/Code/User/profiles/a/mcp.json",
        "/home/u/.config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "/home/u/.gemini/extensions/e/gemini-extension.json",
        "/home/u/.gemini/extensions/new/.git",
        "/work/p/q/.agents/plugins/g/.mcp.json",
        "/work/p/q/.continue/mcpServers/one.json",
        "/work/p/q/.continue/mcpServers/notes.txt",
        "/work/p/q/team.code-workspace",
        "/work/p/.git",
    ]);
    let mut places = places();
    places.project = Some(PathBuf::from("/work/p/q"));
    let all = sources(&places, &[], &disk);
    let patterned = all.iter().filter(|spec| disk.exists(&spec.path));
    let bare = all.iter().filter(|spec| spec.path.ends_with(".mcp.json") && spec.host.id == "mcp.json");
    let mut lines: Vec<String> =
        patterned.chain(bare).map(|spec| format!("{} {}", spec.host.id, spec.path.display())).collect();
    let watched = watched_patterns(&places, &disk);
    lines.extend(watched.iter().map(|pattern| format!("watched {}", pattern.display())));
    insta::assert_snapshot!(lines.join("\n"));
}

/// An extension makes its file with its first server: until then it can be written for it.
#[test]
fn the_file_of_an_extension_is_expected_once_the_extension_is_there() {
    const FILE: &str =
        "/home/u/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
    let has = |disk: &Files<'_>| {
        sources(&places(), &[], disk)
            .iter()
            .any(|spec| spec.host.id == "roo" && *spec.path == Path::new(FILE))
    };
    assert!(has(&Files(&["/home/u/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1"])));
    assert!(!has(&Files(&["/home/u/.config/Code/User/globalStorage/another/tasks/1"])));
}

#[test]
fn files_nobody_reads() {
    let lines: Vec<String> =
        unread_files(&places()).iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
