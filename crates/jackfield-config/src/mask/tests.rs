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
