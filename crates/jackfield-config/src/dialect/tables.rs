//! The spellings, one per dialect.

use super::{Both, CommandShape, Spelling, Tolerance, Unit, Untyped, Word};
use crate::definition::HttpProtocol::{Auto, Sse, Streamable};

const STREAMABLE: Word = Word::Http(Streamable);

/// Keys that say how to reach a server, the same with most hosts.
const URL: &[(&str, Option<crate::definition::HttpProtocol>)] = &[("url", None)];

pub(super) const XCSH: Spelling = Spelling {
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", Word::Http(Sse)),
        ("streamable-http", STREAMABLE),
        ("streamableHttp", STREAMABLE),
        ("streamable_http", STREAMABLE),
        ("streamablehttp", STREAMABLE),
        ("local", Word::Stdio),
        ("remote", STREAMABLE),
    ],
    type_required: false,
    untyped: Untyped::Takes(Streamable),
    both: Both::Refused,
    command: CommandShape::Text,
    urls: URL,
    env: "env",
    headers: "headers",
    switch: Some(("enabled", true)),
    timeouts: &[("timeout", Unit::Milliseconds)],
    tolerance: Tolerance::Forgiving,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "enabled",
        "timeout",
        "auth",
        "oauth",
        "description",
    ],
};

pub(super) const BARE: Spelling = Spelling { tolerance: Tolerance::Exact, ..XCSH };

pub(super) const CLAUDE_CODE: Spelling = Spelling {
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", Word::Http(Sse)),
        ("ws", Word::Socket),
        ("streamable-http", STREAMABLE),
    ],
    untyped: Untyped::NeedsType,
    switch: None,
    // Its `timeout` is that of a single call, not of the start.
    timeouts: &[],
    tolerance: Tolerance::Exact,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "headersHelper",
        "oauth",
        "timeout",
        "alwaysLoad",
    ],
    ..XCSH
};

pub(super) const CLAUDE_DESKTOP: Spelling =
    Spelling { types: &[], untyped: Untyped::NoRemote, keys: &["command", "args", "env"], ..CLAUDE_CODE };

pub(super) const CODEX: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    headers: "http_headers",
    switch: Some(("enabled", true)),
    timeouts: &[("startup_timeout_sec", Unit::Seconds), ("startup_timeout_ms", Unit::Milliseconds)],
    keys: &[
        "command",
        "args",
        "env",
        "env_vars",
        "cwd",
        "experimental_environment",
        "url",
        "bearer_token_env_var",
        "http_headers",
        "env_http_headers",
        "scopes",
        "oauth",
        "oauth_resource",
        "enabled",
        "required",
        "enabled_tools",
        "disabled_tools",
        "tools",
        "default_tools_approval_mode",
        "supports_parallel_tool_calls",
        "startup_timeout_sec",
        "startup_timeout_ms",
        "tool_timeout_sec",
        // Read, to be refused.
        "bearer_token",
    ],
    ..CLAUDE_CODE
};

pub(super) const GEMINI: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("http", STREAMABLE), ("sse", Word::Http(Sse))],
    untyped: Untyped::Takes(Auto),
    both: Both::UrlWins,
    urls: &[("httpUrl", Some(Streamable)), ("url", None)],
    timeouts: &[("timeout", Unit::Milliseconds)],
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "httpUrl",
        "headers",
        "oauth",
        "authProviderType",
        "targetAudience",
        "targetServiceAccount",
        "tcp",
        "timeout",
        "trust",
        "includeTools",
        "excludeTools",
        "description",
        "extension",
    ],
    ..CLAUDE_CODE
};

pub(super) const OPENCODE_1: Spelling = Spelling {
    // It tries the newer transport and then the older one.
    types: &[("local", Word::Stdio), ("remote", Word::Http(Auto))],
    type_required: true,
    untyped: Untyped::NeedsType,
    command: CommandShape::List,
    env: "environment",
    switch: Some(("enabled", true)),
    timeouts: &[("timeout", Unit::Milliseconds)],
    keys: &["type", "command", "environment", "cwd", "url", "headers", "oauth", "enabled", "timeout"],
    ..CLAUDE_CODE
};

pub(super) const OPENCODE_2: Spelling = Spelling {
    switch: Some(("disabled", false)),
    keys: &["type", "command", "environment", "cwd", "url", "headers", "oauth", "disabled", "timeout"],
    ..OPENCODE_1
};

pub(super) const CURSOR: Spelling = Spelling {
    types: &[
        ("stdio", Word::Stdio),
        ("sse", Word::Http(Sse)),
        ("http", STREAMABLE),
        ("streamable-http", STREAMABLE),
    ],
    untyped: Untyped::Takes(Auto),
    keys: &["type", "command", "args", "env", "envFile", "url", "headers", "auth"],
    ..CLAUDE_CODE
};

pub(super) const WINDSURF: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Auto),
    urls: &[("serverUrl", None), ("url", None)],
    switch: Some(("disabled", false)),
    keys: &["command", "args", "env", "serverUrl", "url", "headers", "disabled", "disabledTools"],
    ..CLAUDE_CODE
};

pub(super) const VS_CODE: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("http", STREAMABLE), ("sse", Word::Http(Sse))],
    untyped: Untyped::Takes(Auto),
    keys: &[
        "type",
        "command",
        "args",
        "cwd",
        "env",
        "envFile",
        "dev",
        "sandboxEnabled",
        "sandbox",
        "url",
        "headers",
        "oauth",
        "gallery",
        "version",
    ],
    ..CLAUDE_CODE
};
