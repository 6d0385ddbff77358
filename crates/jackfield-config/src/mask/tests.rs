use super::*;

#[test]
fn keys_of_secrets() {
    let secret = [
        "key",
        "apiKey",
        "API_KEY",
        "X-Api-Key",
        "APIKEY",
        "tavilyApiKey",
        "GITHUB_PERSONAL_ACCESS_TOKEN",
        "accesstoken",
        "Authorization",
        "Cookie",
        "SENTRY_DSN",
        "clientSecret",
        "DB_PASSWORD",
        "password",
        "--token",
        "githubToken",
        "OPENAIAPIKEY",
        "PUBLIC_API_SECRET",
    ];
    let harmless = [
        "keyboard",
        "monkey",
        "author",
        "PORT",
        "tokenizer",
        "secretary",
        "MAX_TOKENS",
        "publicKey",
        "NODE_ENV",
        "Accept",
        "",
    ];
    for key in secret {
        assert!(is_secret_key(key), "{key}");
    }
    for key in harmless {
        assert!(!is_secret_key(key), "{key}");
    }
}

#[test]
fn values_like_secrets() {
    for secret in [
        "sk-0123456789abcdef",
        "ghp_abcdefghijklmnopqrst",
        "xoxb-1234-5678-abcd",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.e30.x",
        "d41d8cd98f00b204e9800998ecf8427e",
        "123e4567-e89b-12d3-a456-426614174000",
    ] {
        assert!(looks_secret(secret), "{secret}");
    }
    for plain in [
        "@modelcontextprotocol/server-filesystem",
        "mcp-server-sequential-thinking-tools",
        "claude-3-5-sonnet-20241022",
        "production",
        "C:\\Program Files\\nodejs\\node.exe",
        "/usr/local/lib/node_modules/x",
        "a sentence of several words with digits 1234",
        "",
    ] {
        assert!(!looks_secret(plain), "{plain}");
    }
}

#[test]
fn shown() {
    let list = |args: &[&str]| {
        super::args(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()).join(" | ")
    };
    let lines = [
        value(Some("Authorization"), "Bearer abc"),
        value(Some("Authorization"), "Bearer ${TOKEN}"),
        value(Some("TOKEN"), "$TOKEN"),
        value(Some("TOKEN"), "${TOKEN:-hunter2}"),
        value(Some("TOKEN"), "hunter2"),
        value(Some("TOKEN"), "!pass show x"),
        value(Some("LEVEL"), "debug"),
        value(None, "https://u:p@h.example/x?tavilyApiKey=tvly-1&q=cats"),
        value(Some("DATABASE"), "postgres://user:pw@h/db"),
        value(Some("EMPTY_TOKEN"), ""),
        url("https://mcp.example.com/mcp?token=${T}&api_key=abc#access_token=x"),
        url("not a url"),
        url("https://mcp.zapier.com/s/0123456789abcdef0123456789abcdef/mcp"),
        list(&["-y", "mcp-remote", "https://h/x?key=1", "--header", "Authorization: Bearer PLACEHOLDER"]),
        list(&[
            "--api-key",
            "abc",
            "--token=abc",
            "--port",
            "80",
            "--header=X-Api-Key: abc",
            "-e",
            "TOKEN=abc",
        ]),
        list(&["--header", "Authorization:${AUTH}", "--token", "$TOKEN", "--key"]),
        list(&["Authorization: Bearer abc", "API_KEY=abc", "NAME=x", "C:\\dir", "host:80"]),
        text("GET https://h/x?key=abc with hunter2 and Bearer abcdefghij", &["hunter2".to_owned()]),
        text("plain line, nothing here", &[]),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

fn cases(cases: &[(&str, &str)], show: impl Fn(&str) -> String) {
    for (written, shown) in cases {
        assert_eq!(show(written).replace(MASK, "•"), *shown, "{written}");
    }
}

#[test]
fn command_lines() {
    let all = [
        ("npx -y foo --token SEC-incmd29", "npx -y foo --token •"),
        ("npx  -y foo --token=SEC --port 80 ", "npx  -y foo --token=• --port 80 "),
        ("npx foo --api-key 'SEC 1' x", "npx foo --api-key '•' x"),
        (
            "curl -H \"Authorization: Bearer SEC\" https://u:SEC@h/x?a=SEC",
            "curl -H \"Authorization: Bearer •\" https://•@h/x?a=•",
        ),
        ("curl -H Authorization: Bearer SEC x", "curl -H Authorization: Bearer • x"),
        ("curl --header=\"Authorization: SEC\"", "curl --header=\"Authorization: •\""),
        ("API_KEY=SEC npx foo", "API_KEY=• npx foo"),
        ("sh -c 'npx foo --token SEC'", "sh -c 'npx foo --token •'"),
        ("x --config {\"apiKey\":\"SEC\"}", "x --config {\"apiKey\":\"•\"}"),
        ("x --config {\\\"apiKey\\\":\\\"SEC\\\"}", "x --config {\\\"apiKey\\\":•"),
        ("npx foo --token ${TOKEN}", "npx foo --token ${TOKEN}"),
        ("npx foo --token \"SEC", "npx foo --token •"),
        ("C:\\Program Files\\nodejs\\node.exe", "C:\\Program Files\\nodejs\\node.exe"),
        ("npx -y @scope/pkg -p 80 it's", "npx -y @scope/pkg -p 80 it's"),
        ("a\"b c\"d e", "a\"b c\"d e"),
        ("  ", "  "),
        ("", ""),
    ];
    cases(&all, command_line);
}

#[test]
fn urls() {
    let all = [
        ("https://h/x?q=SEC&page=2#SEC", "https://h/x?q=•&page=•#•"),
        ("https://h/x?q=${Q}&r=${R:-SEC}&s=&t#u=SEC&v=${V}", "https://h/x?q=${Q}&r=${R:-•}&s=&t#u=•&v=${V}"),
        ("https://h/${TOKEN:-SEC}/${DIR:-x}", "https://h/${TOKEN:-•}/${DIR:-x}"),
        ("https://${U}@h/", "https://${U}@h/"),
        ("https://h", "https://h"),
    ];
    cases(&all, url);
    cases(&[("see (https://h/x?a=SEC), then", "see (https://h/x?a=•), then")], |line| text(line, &[]));
}

#[test]
fn arguments() {
    let all = [
        (r#"{"apiKey":"SEC-json7"}"#, r#"{"apiKey":"•"}"#),
        (
            r#"[ {"a": {"credentials": ["SEC", {"x": "SEC"}]}, "pin_secret": 1234, "n": 5, "u": "https://h?x=SEC"} ]"#,
            r#"[ {"a": {"credentials": ["•", {"x": "•"}]}, "pin_secret": "•", "n": 5, "u": "https://h?x=•"} ]"#,
        ),
        (r#"{"token":"${T}"}"#, r#"{"token":"${T}"}"#),
        (r#"--config={"apiKey":"SEC"}"#, r#"--config={"apiKey":"•"}"#),
        ("--header=Authorization: SEC", "--header=Authorization: •"),
        ("--header Authorization: SEC", "--header Authorization: •"),
        ("-H=X-Api-Key: SEC", "-H=X-Api-Key: •"),
        ("-HAuthorization:SEC", "-HAuthorization:•"),
        ("-HAuthorization: SEC", "-HAuthorization: •"),
        ("run --token SEC now", "run --token • now"),
    ];
    cases(&all, |arg| args(&[arg.to_owned()]).concat());
    let list = [
        "--headers",
        r#"{"Authorization":"Bearer SEC"}"#,
        "-H",
        "Authorization:",
        "Bearer",
        "SEC",
        "-p",
        "VALUE",
    ];
    let shown = args(&list.map(str::to_owned)).join(" ").replace(MASK, "•");
    assert_eq!(shown, r#"--headers {"Authorization":"Bearer •"} -H Authorization: Bearer • -p VALUE"#);
}

#[test]
fn forms() {
    for (key, written, shown) in [
        (None, "${TOKEN:-SEC}", "${TOKEN:-•}"),
        (None, "${NOPE:-ghp_abcdefghijklmnopqrst}", "${NOPE:-•}"),
        (Some("API_KEY"), "${NOPE:-SEC}", "${NOPE:-•}"),
        (Some("PORT"), "${NOPE:-80}", "${NOPE:-80}"),
        (None, "${TOKEN:-}", "${TOKEN:-}"),
        (None, "${TOKEN}", "${TOKEN}"),
        (None, "$TOKEN", "$TOKEN"),
        (None, "${TOKEN:-${B}}", "${TOKEN:-${B}}"),
        (None, "${TOKEN:-${B:-SEC}}", "${TOKEN:-•}}"),
        (None, "a ${HOST:-h} ${TOKEN:-SEC", "a ${HOST:-h} ${TOKEN:-SEC"),
        (Some("TOKEN"), "a ${A:-SEC} ${B}", "a ${A:-•} ${B}"),
    ] {
        assert_eq!(form(key, written).replace(MASK, "•"), shown, "{written}");
    }
    assert_eq!(
        value(Some("HEADERS"), r#"{"Authorization": "SEC"}"#),
        format!(r#"{{"Authorization": "{MASK}"}}"#)
    );
}
