use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;

fn fixture() -> Value {
    serde_json::from_str(include_str!("../../../../tests/fakes/registry.json")).unwrap()
}

fn server(name: &str) -> ServerJson {
    let page = page(&json!({ "servers": fixture() })).unwrap();
    page.servers.into_iter().find(|listed| listed.server.name == name).unwrap().server
}

fn choice(server: &ServerJson, id: &str) -> Choice {
    choices(server).into_iter().find(|choice| choice.id == id).unwrap()
}

fn answers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect()
}

fn ask(input: &Input) -> String {
    let mut text = format!("{} ({:?}, {:?}", input.id, input.kind, input.format);
    for (word, holds) in
        [("required", input.required), ("secret", input.secret), ("repeated", input.repeated)]
    {
        if holds {
            text += ", ";
            text += word;
        }
    }
    text += &format!(") {:?}", input.label);
    for (word, value) in [("default", &input.default), ("placeholder", &input.placeholder)] {
        if let Some(value) = value {
            text += &format!(" {word} {value:?}");
        }
    }
    if !input.choices.is_empty() {
        text += &format!(" one of {:?}", input.choices);
    }
    if !input.description.is_empty() {
        text += &format!(" — {}", input.description);
    }
    text
}

fn told(result: &Result<Filled, Vec<InputProblem>>) -> String {
    let mut text = String::new();
    match result {
        Ok(filled) => {
            match &filled.transport {
                FilledTransport::Stdio { command, args, env } => {
                    let words: Vec<String> = args.iter().map(|arg| format!("{arg:?}")).collect();
                    writeln!(text, "  = {command} {}", words.join(" ")).unwrap();
                    for (name, value) in env {
                        writeln!(text, "    {name}={value}").unwrap();
                    }
                }
                FilledTransport::Http { url, headers, sse } => {
                    writeln!(text, "  = {} {url}", if *sse { "sse" } else { "http" }).unwrap();
                    for (name, value) in headers {
                        writeln!(text, "    {name}: {value}").unwrap();
                    }
                }
            }
            if !filled.secrets.is_empty() {
                writeln!(text, "    secret: {:?} in {:?}", filled.secrets, filled.secret_fields).unwrap();
            }
        }
        Err(problems) => {
            for problem in problems {
                writeln!(text, "  ! {:?}: {}", problem.id, problem.message).unwrap();
            }
        }
    }
    text
}

/// Every choice of every server: its form, what comes of no answer, and what comes of one for each question.
#[test]
fn every_choice() {
    let page = page(&json!({ "servers": fixture() })).unwrap();
    assert_eq!(page.unreadable, Vec::<String>::new());
    let mut text = String::new();
    for listed in &page.servers {
        let server = &listed.server;
        writeln!(text, "# {} {} {:?}", server.name, server.version, listed.status).unwrap();
        for choice in choices(server) {
            writeln!(text, "{}: {} ({})", choice.id, choice.label, choice.detail).unwrap();
            if let Some(reason) = &choice.unsupported {
                writeln!(text, "  no: {reason}").unwrap();
                assert_eq!(fill(server, &choice, &BTreeMap::new()).unwrap_err()[0].message, *reason);
                continue;
            }
            let form = form(&choice);
            for input in &form {
                writeln!(text, "  ? {}", ask(input)).unwrap();
            }
            text += &told(&fill(server, &choice, &BTreeMap::new()));
            if form.is_empty() {
                continue;
            }
            let full: BTreeMap<String, String> = form
                .iter()
                .map(|input| {
                    let value = match (input.choices.last(), input.format, input.repeated) {
                        (Some(choice), ..) => choice.clone(),
                        (None, InputFormat::Number, _) => "42".to_owned(),
                        (None, InputFormat::Boolean, _) => "false".to_owned(),
                        (None, InputFormat::Text | InputFormat::FilePath, true) => "/a b\n/c".to_owned(),
                        (None, InputFormat::Text | InputFormat::FilePath, false) => {
                            if input.label == "baseUrl" { "http://localhost:1" } else { "x" }.to_owned()
                        }
                    };
                    (input.id.clone(), value)
                })
                .collect();
            text += &told(&fill(server, &choice, &full));
        }
    }
    insta::assert_snapshot!(text);
}

/// Answers that are not taken, and answers at the edge that are.
#[test]
fn answers_are_checked() {
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let cases: &[Case<'_>] = &[
        ("com.example/files-mcp", "package.0", &[("arguments.1", "\n \n")]),
        ("com.example/files-mcp", "package.0", &[("arguments.1", "/a\r\n\r\n/b\r\n"), ("env.LOG_LEVEL", "")]),
        ("com.example/files-mcp", "package.0", &[("arguments.1", "/a"), ("arguments.2", "yes")]),
        ("com.example/files-mcp", "package.0", &[("arguments.1", "/a"), ("env.LOG_LEVEL", "loud")]),
        ("com.example/files-mcp", "package.0", &[("arguments.1", "/a"), ("env.LOGLEVEL", "info")]),
        ("com.example/files-mcp", "package.1", &[("runtime.0.source", "/a\n/b")]),
        (
            "com.example/files-mcp",
            "package.1",
            &[("runtime.0.source", "/a\n/b\n/c"), ("runtime.0.target", "/1\n/2")],
        ),
        (
            "com.example/files-mcp",
            "package.1",
            &[("runtime.0.source", "/a\n/b"), ("runtime.0.target", "/1\n/2")],
        ),
        (
            "io.github.someone/mcp-server-weather",
            "package.0",
            &[("env.WEATHER_KEY", "a\nb\n"), ("arguments.0", "-1.5")],
        ),
        (
            "io.github.someone/mcp-server-weather",
            "package.0",
            &[("env.WEATHER_KEY", "$(id); \"'`"), ("arguments.0", "1e9")],
        ),
        (
            "io.github.someone/mcp-server-weather",
            "package.0",
            &[("env.WEATHER_KEY", "$(id); \"'`"), ("arguments.0", ""), ("env.PROXY", "a\0b")],
        ),
        (
            "io.github.someone/mcp-server-weather",
            "package.0",
            &[("env.WEATHER_KEY", " $(id); \"'` "), ("arguments.0", ""), ("env.UNITS", " imperial ")],
        ),
        ("com.example/mcp", "remote.0", &[("url.tenant", "a b"), ("headers.Authorization.token", "t\nu")]),
        ("com.example/mcp", "remote.0", &[("url.tenant", ""), ("headers.Authorization.token", "t")]),
        (
            "com.example/mcp",
            "remote.0",
            &[
                ("url.tenant", "t"),
                ("url.path", ""),
                ("headers.X-Region", ""),
                ("headers.Authorization.token", "t"),
                ("headers.X-Key.key", "k"),
            ],
        ),
        ("com.example/mcp", "remote.2", &[("url.baseUrl", "example.com")]),
        ("com.example/mcp", "remote.2", &[("url.baseUrl", "ftp://example.com")]),
    ];
    let mut text = String::new();
    for (name, id, pairs) in cases {
        let server = server(name);
        writeln!(text, "{name} {id} {pairs:?}").unwrap();
        text += &told(&fill(&server, &choice(&server, id), &answers(pairs)));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn images_and_versions() {
    for (mut package, expected) in [
        (json!({ "registryType": "oci", "identifier": "a/b", "version": "1" }), "a/b:1"),
        (
            json!({ "registryType": "oci", "identifier": "docker.io/a/b:2", "version": "1" }),
            "docker.io/a/b:2",
        ),
        (
            json!({ "registryType": "oci", "identifier": "localhost:5000/b", "version": "1" }),
            "localhost:5000/b:1",
        ),
        (
            json!({ "registryType": "oci", "identifier": "a/b", "registryBaseUrl": "https://docker.io" }),
            "a/b",
        ),
        (
            json!({ "registryType": "oci", "identifier": "a/b", "version": "sha256:00ff", "registryBaseUrl": "https://quay.io" }),
            "quay.io/a/b@sha256:00ff",
        ),
        (json!({ "registryType": "npm", "identifier": "a", "version": "latest" }), "a"),
        (json!({ "registryType": "npm", "identifier": "a", "runtimeHint": "bunx", "version": "1" }), "a@1"),
        (json!({ "registryType": "pypi", "identifier": "a[b,c]", "version": "1!2.0+x" }), "a[b,c]==1!2.0+x"),
    ] {
        package["transport"] = json!({ "type": "stdio" });
        let server = json!({ "name": "a/b", "packages": [package] });
        let choice = choices(&listed(&server).unwrap().server).remove(0);
        assert_eq!((choice.detail.as_str(), choice.unsupported), (expected, None), "{package}");
    }
}

#[test]
fn names() {
    for (full, name) in [
        ("io.github.user/weather-mcp", "weather"),
        ("io.github.user/mcp-server-weather", "weather"),
        ("com.example/mcp", "example"),
        ("com.example/server", "example"),
        ("mcp", "mcp"),
        ("a/b c", "b-c"),
        ("//", "server"),
        ("", "server"),
    ] {
        assert_eq!(suggested_name(full), name, "{full}");
    }
}

#[test]
fn a_filled_form_is_a_server_to_add() {
    let server = server("com.example/mcp");
    let filled = fill(&server, &choice(&server, "remote.1"), &BTreeMap::new()).unwrap();
    assert_eq!(filled.draft(), Draft::http("example", "https://example.com/sse", HttpProtocol::Sse));
}

#[test]
fn a_description_survives_being_written_and_read() {
    for listed in page(&json!({ "servers": fixture() })).unwrap().servers {
        let text = serde_json::to_string(&listed.server).unwrap();
        assert_eq!(serde_json::from_str::<ServerJson>(&text).unwrap(), listed.server, "{text}");
    }
}

#[test]
fn answers_of_a_registry() {
    for (answer, expected) in [
        (json!({ "servers": [], "metadata": { "count": 0 } }), Some((0, None, 0))),
        (json!({ "servers": null }), Some((0, None, 0))),
        (
            json!({ "servers": [{ "server": { "name": "a/b" } }, { "server": { "title": "x" } }, 3, null], "metadata": { "nextCursor": "n" } }),
            Some((1, Some("n"), 3)),
        ),
        (json!({ "servers": [{ "name": "a/b" }], "metadata": { "next_cursor": "" } }), Some((1, None, 0))),
        (json!({ "servers": [{ "server": { "name": "a/b", "packages": [{}] } }] }), Some((0, None, 1))),
        (json!({ "servers": {} }), None),
        (json!({ "error": "no" }), None),
        (json!([]), None),
        (json!("servers"), None),
    ] {
        let found = page(&answer);
        let found = found
            .as_ref()
            .map(|page| (page.servers.len(), page.next_cursor.as_deref(), page.unreadable.len()));
        assert_eq!(found, expected, "{answer}");
    }
}

#[test]
fn urls_of_registries() {
    for (url, accepted) in [
        (OFFICIAL_REGISTRY, true),
        ("https://example.com/mirror/", true),
        ("http://localhost:8080", true),
        ("http://[::1]:8080", true),
        ("http://127.0.0.1", true),
        ("http://example.com", false),
        ("http://localhost.example.com", false),
        ("https://user:word@example.com", false),
        ("https://example.com/?a=b", false),
        ("ftp://example.com", false),
        ("example.com", false),
        ("", false),
    ] {
        assert_eq!(registry_url(url).is_ok(), accepted, "{url}");
    }
}

proptest::proptest! {
    /// Whatever stands in a fixed text, it is passed on as it is, or refused; with a variable in it, only that is replaced.
    #[test]
    fn fixed_texts_stay_as_they_are(before in "[ -~{}ä]{0,12}", after in "[ -~{}ä]{0,12}") {
        let argument = |value: &str| {
            let argument = json!({
                "type": "positional", "value": value, "variables": { "the name": { "isRequired": true } }
            });
            let package = json!({
                "registryType": "npm", "identifier": "a", "transport": { "type": "stdio" },
                "packageArguments": [argument]
            });
            let server = listed(&json!({ "name": "a/b", "packages": [package] })).unwrap().server;
            let choice = choices(&server).remove(0);
            let values = match form(&choice).first() {
                Some(input) => answers(&[(&input.id, "given")]),
                None => BTreeMap::new(),
            };
            match fill(&server, &choice, &values) {
                Ok(Filled { transport: FilledTransport::Stdio { args, .. }, .. }) => args.get(2).cloned(),
                other => {
                    assert!(choice.unsupported.is_some(), "{other:?}");
                    None
                }
            }
        };
        let fixed = format!("{before}{after}");
        if let Some(found) = argument(&fixed).filter(|_| !fixed.is_empty()) {
            proptest::prop_assert_eq!(found, fixed);
        }
        if let Some(found) = argument(&format!("{before}{{the name}}{after}")) {
            proptest::prop_assert_eq!(found, format!("{before}given{after}"));
        }
    }
}

#[test]
fn large_descriptions_are_filled_in() {
    let braces = "{".repeat(30_000) + "}";
    let names: Vec<Value> = (0..5_000).map(|at| json!({ "name": format!("V{at}"), "value": "x" })).collect();
    let variables: String = (0..5_000).map(|at| format!("{{v{at}}}")).collect();
    let server = json!({
        "name": "a/b",
        "packages": [{
            "registryType": "oci", "identifier": "a", "transport": { "type": "stdio" },
            "packageArguments": [{ "type": "positional", "value": braces }], "environmentVariables": names,
        }],
        "remotes": [{ "type": "sse", "url": format!("https://x/{variables}"), "headers": names }],
    });
    let server = listed(&server).unwrap().server;
    let choices = choices(&server);
    let filled = fill(&server, &choices[0], &BTreeMap::new()).unwrap();
    assert!(matches!(filled.transport, FilledTransport::Stdio { env, .. } if env.len() == 5_000));
    assert_eq!(fill(&server, &choices[1], &BTreeMap::new()).unwrap_err().len(), 5_000);
}
