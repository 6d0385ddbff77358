//! Of the tools that are shown where their files are found.

use super::*;

pub(in crate::dialect) const HERMES: Spelling = Spelling {
    type_keys: &["transport"],
    types: &[("sse", SSE)],
    writes_stdio: false,
    untyped: Untyped::Takes(Streamable),
    switch: ENABLED,
    keys: &[
        "transport",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "oauth",
        "ssl_verify",
        "skip_preflight",
        "enabled",
        "tools",
        "trust",
        "idle_timeout_seconds",
        "keepalive_interval",
    ],
    example: "`command: …` or `url: https://…`",
    ..CLAUDE_CODE
};

pub(in crate::dialect) const DEEP_AGENTS: Spelling = Spelling {
    type_keys: &["type", "transport"],
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", SSE),
        ("streamable-http", STREAMABLE),
        ("streamable_http", STREAMABLE),
    ],
    untyped: Untyped::Takes(Streamable),
    keys: &["type", "transport", "command", "args", "env", "url", "headers"],
    ..CLAUDE_CODE
};

pub(in crate::dialect) const OPEN_CLAW: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    switch: ENABLED,
    keys: &["command", "args", "env", "url", "headers", "enabled"],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(in crate::dialect) const GROK: Spelling = Spelling {
    switch: ENABLED,
    example: "`command = \"…\"` or `url = \"https://…\"` in a table `[mcp_servers.name]`",
    ..PLAIN
};

pub(in crate::dialect) const REASONIX: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("http", STREAMABLE)],
    writes_stdio: false,
    untyped: Untyped::Takes(Streamable),
    named: true,
    keys: &[
        "name",
        "type",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "trusted_read_only_tools",
        "call_timeout_seconds",
        "tool_timeout_seconds",
    ],
    example: "`name` with `command = \"…\"`, or with `type = \"http\"` and `url = \"https://…\"`, in a table `[[plugins]]`",
    ..CLAUDE_CODE
};
