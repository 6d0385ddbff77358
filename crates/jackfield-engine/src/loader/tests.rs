use super::*;

struct World {
    folder: tempfile::TempDir,
    loader: Loader,
}

impl World {
    fn new(more: &[(&str, &str)]) -> World {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_string_lossy().into_owned();
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env: BTreeMap<String, String> = more.chain([("HOME".to_owned(), home)]).collect();
        let loader = Loader::new(Paths::from_env(&env).unwrap(), Arc::new(env));
        World { folder, loader }
    }

    fn write(&self, below_home: &str, text: &str) {
        let path = self.folder.path().join(below_home);
        fs::write_atomic(&path, text.as_bytes(), fs::Mode::Private).unwrap();
    }

    fn load(&mut self) -> Catalog {
        let rules = Rules {
            project: None,
            exa_allowed: &[],
            approved: &|_: &Definition, _: &Settings| true,
            server_env: &BTreeMap::new(),
        };
        self.loader.load(&rules).catalog
    }
}

/// The sources of a tool whose path ends like this, and the names of their servers.
fn sources(catalog: &Catalog, host: &str, end: &str) -> Vec<(ReadState, Vec<String>)> {
    let own = |reading: &&SourceReading| reading.spec.host.id == host && reading.spec.path.ends_with(end);
    let names = |reading: &SourceReading| reading.definitions.iter().map(|one| one.name.clone()).collect();
    catalog.sources.iter().filter(own).map(|reading| (reading.state.clone(), names(reading))).collect()
}

const VARIABLE: &str = "$OPENCODE_CONFIG_CONTENT";

#[test]
fn servers_in_a_variable_are_read_and_no_file_is_looked_for() {
    let text = r#"{"mcp": {"a": {"type": "local", "command": ["x"]}}}"#;
    let mut world = World::new(&[("OPENCODE_CONFIG_CONTENT", text)]);
    for _ in 0..2 {
        let catalog = world.load();
        let found = sources(&catalog, "opencode", VARIABLE);
        assert_eq!(found, [(ReadState::Read, vec!["a".to_owned()])]);
    }
    assert!(world.loader.files(None).iter().all(|path| !path.ends_with(VARIABLE)));

    let broken = World::new(&[("OPENCODE_CONFIG_CONTENT", "{\"mcp\": ")]).load();
    assert_eq!(sources(&broken, "opencode", VARIABLE), [(ReadState::Broken, Vec::new())]);
    assert!(broken.diagnostics.iter().any(|found| found.code == Code::FileSyntax));
    assert_eq!(sources(&World::new(&[]).load(), "opencode", VARIABLE), []);
}

#[test]
fn settings_of_an_editor_are_listed_once_they_have_servers() {
    let mut world = World::new(&[]);
    let file = ".vscode-server/data/Machine/settings.json";
    let found = |world: &mut World| sources(&world.load(), "vscode", file);
    assert_eq!(found(&mut world), []);
    world.write(file, r#"{"editor.fontSize": 12}"#);
    assert_eq!(found(&mut world), []);
    assert!(world.loader.files(None).iter().any(|path| path.ends_with(file)), "it is watched all the same");
    world.write(file, r#"{"mcp": {"servers": {"v": {"command": "x"}}}}"#);
    assert_eq!(found(&mut world), [(ReadState::Read, vec!["v".to_owned()])]);
    // While it is broken, what it said last counts.
    world.write(file, r#"{"mcp": {"servers": {"v": "#);
    assert_eq!(found(&mut world), [(ReadState::LastGood, vec!["v".to_owned()])]);
}
