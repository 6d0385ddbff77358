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
    assert_eq!(cursor, [Scope::User]);
    dedup(&mut all, &|_| PathBuf::from("/same"));
    let mut roots: Vec<_> = all.iter().map(|spec| spec.root.clone()).collect();
    roots.sort();
    roots.dedup();
    assert_eq!(all.len(), roots.len());
    assert!(all.iter().zip(0..).all(|(spec, rank)| spec.rank == rank));
}

#[test]
fn files_nobody_reads() {
    let lines: Vec<String> =
        unread_files(&places()).iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
