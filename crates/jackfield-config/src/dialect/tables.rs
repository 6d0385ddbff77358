//! The spellings, one per dialect. Each says how its host differs from one that is like it.

use super::{Both, CommandShape, Spelling, Tolerance, Unit, Untyped, Word};
use crate::definition::HttpProtocol::{self, Auto, Sse, Streamable};

mod probes;

pub(super) use probes::{DEEP_AGENTS, GROK, HERMES, OPEN_CLAW, REASONIX};

const STREAMABLE: Word = Word::Http(Streamable);
const SSE: Word = Word::Http(Sse);

type Types = &'static [(&'static str, Word)];

/// Keys that say how to reach a server, the same with most hosts.
const URL: &[(&str, Option<HttpProtocol>)] = &[("url", None)];
const SERVER_URL: &[(&str, Option<HttpProtocol>)] = &[("serverUrl", None), ("url", None)];

const MILLISECONDS: &[(&str, Unit)] = &[("timeout", Unit::Milliseconds)];
const SECONDS: &[(&str, Unit)] = &[("timeout", Unit::Seconds)];

const ENABLED: Option<(&str, bool)> = Some(("enabled", true));
const DISABLED: Option<(&str, bool)> = Some(("disabled", false));

/// `stdio`, `http`, `sse`: what most have come to.
const COMMON_TYPES: Types = &[("stdio", Word::Stdio), ("http", STREAMABLE), ("sse", SSE)];

const COMMON_EXAMPLE: &str = "`{ \"command\": \"…\" }` or `{ \"type\": \"http\", \"url\": \"https://…\" }`";
const URL_EXAMPLE: &str = "`{ \"command\": \"…\" }` or `{ \"url\": \"https://…\" }`";
const SERVER_URL_EXAMPLE: &str = "`{ \"command\": \"…\" }` or `{ \"serverUrl\": \"https://…\" }`";

pub(super) const XCSH: Spelling = Spelling {
    type_keys: &["type"],
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", SSE),
        ("streamable-http", STREAMABLE),
        ("streamableHttp", STREAMABLE),
        ("streamable_http", STREAMABLE),
        ("streamablehttp", STREAMABLE),
        ("local", Word::Stdio),
        ("remote", STREAMABLE),
    ],
    type_required: false,
    writes_stdio: true,
    untyped: Untyped::Takes(Streamable),
    both: Both::Refused,
    commands: &["command"],
    command: CommandShape::Text,
    urls: URL,
    env: "env",
    headers: &["headers"],
    cwd: Some("cwd"),
    bearer: &[],
    token: &[],
    env_names: None,
    switch: ENABLED,
    timeouts: MILLISECONDS,
    tolerance: Tolerance::Forgiving,
    named: false,
    says_on: false,
    whole_timeouts: false,
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
    example: COMMON_EXAMPLE,
};

pub(super) const BARE: Spelling = Spelling { tolerance: Tolerance::Exact, ..XCSH };

/// Where a tool has no entry of its own here: what all have in common.
pub(super) const PLAIN: Spelling = Spelling {
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", SSE),
        ("streamable-http", STREAMABLE),
        ("streamableHttp", STREAMABLE),
        ("streamable_http", STREAMABLE),
        ("local", Word::Stdio),
    ],
    switch: DISABLED,
    timeouts: &[],
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "disabled",
        "enabled",
        "timeout",
        "description",
    ],
    ..BARE
};

pub(super) const CLAUDE_CODE: Spelling = Spelling {
    types: &[
        ("stdio", Word::Stdio),
        ("http", STREAMABLE),
        ("sse", SSE),
        ("ws", Word::Socket),
        ("streamable-http", STREAMABLE),
    ],
    untyped: Untyped::NeedsType,
    cwd: None,
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

pub(super) const CLAUDE_DESKTOP: Spelling = Spelling {
    types: &[],
    untyped: Untyped::NoRemote,
    headers: &[],
    keys: &["command", "args", "env"],
    example: "`{ \"command\": \"…\", \"args\": [\"…\"] }`",
    ..CLAUDE_CODE
};

pub(super) const CODEX: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    headers: &["http_headers"],
    cwd: Some("cwd"),
    bearer: &["bearer_token_env_var"],
    env_names: Some("env_vars"),
    switch: ENABLED,
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
    example: "`command = \"…\"` or `url = \"https://…\"` in a table `[mcp_servers.name]`",
    ..CLAUDE_CODE
};

pub(super) const GEMINI: Spelling = Spelling {
    types: COMMON_TYPES,
    writes_stdio: false,
    untyped: Untyped::Takes(Auto),
    both: Both::UrlWins,
    urls: &[("httpUrl", Some(Streamable)), ("url", None)],
    cwd: Some("cwd"),
    timeouts: MILLISECONDS,
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
        "discoveryTimeoutMs",
        "trust",
        "includeTools",
        "excludeTools",
        "description",
        "extension",
        "extensionName",
    ],
    example: "`{ \"command\": \"…\" }` or `{ \"httpUrl\": \"https://…\" }`",
    ..CLAUDE_CODE
};

/// It reads no type: a plain url is SSE, `httpUrl` is HTTP.
pub(super) const QWEN: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Sse),
    // Its `timeout` is that of a call; it bounds the start where it is the shorter one.
    timeouts: &[("discoveryTimeoutMs", Unit::Milliseconds), ("timeout", Unit::Milliseconds)],
    ..GEMINI
};

pub(super) const OPENCODE_1: Spelling = Spelling {
    // It tries the newer transport and then the older one.
    types: &[("local", Word::Stdio), ("remote", Word::Http(Auto))],
    type_required: true,
    untyped: Untyped::NeedsType,
    command: CommandShape::List,
    env: "environment",
    cwd: Some("cwd"),
    switch: ENABLED,
    timeouts: MILLISECONDS,
    keys: &["type", "command", "environment", "cwd", "url", "headers", "oauth", "enabled", "timeout"],
    example: "`{ \"type\": \"local\", \"command\": [\"…\"] }` or `{ \"type\": \"remote\", \"url\": \"https://…\" }`",
    ..CLAUDE_CODE
};

pub(super) const OPENCODE_2: Spelling = Spelling {
    switch: DISABLED,
    keys: &["type", "command", "environment", "cwd", "url", "headers", "oauth", "disabled", "timeout"],
    ..OPENCODE_1
};

pub(super) const CURSOR: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("http", STREAMABLE), ("sse", SSE), ("streamable-http", STREAMABLE)],
    untyped: Untyped::Takes(Auto),
    keys: &["type", "command", "args", "env", "envFile", "url", "headers", "auth"],
    ..CLAUDE_CODE
};

pub(super) const WINDSURF: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Auto),
    urls: SERVER_URL,
    switch: DISABLED,
    keys: &["command", "args", "env", "serverUrl", "url", "headers", "disabled", "disabledTools"],
    example: SERVER_URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(super) const VS_CODE: Spelling = Spelling {
    types: COMMON_TYPES,
    untyped: Untyped::Takes(Auto),
    cwd: Some("cwd"),
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

pub(super) const VISUAL_STUDIO: Spelling = Spelling {
    keys: &["type", "command", "args", "env", "envFile", "url", "headers", "requestInit", "tools"],
    cwd: None,
    ..VS_CODE
};

pub(super) const ZED: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    command: CommandShape::TextOrObject,
    switch: ENABLED,
    timeouts: SECONDS,
    whole_timeouts: true,
    keys: &[
        "source", "command", "args", "env", "remote", "url", "headers", "oauth", "enabled", "timeout",
        "settings",
    ],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(super) const CLINE: Spelling = Spelling {
    type_keys: &["type", "transportType"],
    types: &[("stdio", Word::Stdio), ("streamableHttp", STREAMABLE), ("sse", SSE)],
    untyped: Untyped::Takes(Sse),
    cwd: Some("cwd"),
    switch: DISABLED,
    timeouts: SECONDS,
    keys: &[
        "type",
        "transportType",
        "transport",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "oauth",
        "oauthClient",
        "metadata",
        "disabled",
        "autoApprove",
        "timeout",
    ],
    example: "`{ \"command\": \"…\" }` or `{ \"type\": \"streamableHttp\", \"url\": \"https://…\" }`",
    ..CLAUDE_CODE
};

pub(super) const ROO: Spelling = Spelling {
    type_keys: &["type"],
    types: &[("stdio", Word::Stdio), ("streamable-http", STREAMABLE), ("sse", SSE)],
    untyped: Untyped::NeedsType,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "watchPaths",
        "url",
        "headers",
        "disabled",
        "alwaysAllow",
        "disabledTools",
        "timeout",
    ],
    example: "`{ \"command\": \"…\" }` or `{ \"type\": \"streamable-http\", \"url\": \"https://…\" }`",
    ..CLINE
};

pub(super) const CONTINUE: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("streamable-http", STREAMABLE), ("sse", SSE)],
    untyped: Untyped::Takes(Auto),
    headers: &["requestOptions", "headers"],
    token: &["apiKey"],
    cwd: Some("cwd"),
    timeouts: &[("connectionTimeout", Unit::Milliseconds)],
    named: true,
    keys: &[
        "name",
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "requestOptions",
        "apiKey",
        "connectionTimeout",
        "faviconUrl",
        "sourceFile",
    ],
    example: "`name: …` with `command: …`, or with `type: streamable-http` and `url: https://…`",
    ..CLAUDE_CODE
};

pub(super) const GOOSE: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("streamable_http", STREAMABLE), ("sse", SSE)],
    type_required: true,
    commands: &["cmd"],
    urls: &[("uri", None)],
    env: "envs",
    env_names: Some("env_keys"),
    switch: ENABLED,
    timeouts: SECONDS,
    whole_timeouts: true,
    named: true,
    says_on: true,
    keys: &[
        "name",
        "type",
        "cmd",
        "args",
        "envs",
        "env_keys",
        "uri",
        "headers",
        "enabled",
        "timeout",
        "bundled",
        "description",
        "display_name",
        "available_tools",
        "client_id",
        "client_secret_key",
        "scopes",
    ],
    example: "`type: stdio` with `name` and `cmd`, or `type: streamable_http` with `name` and `uri`",
    ..CLAUDE_CODE
};

pub(super) const CRUSH: Spelling = Spelling {
    types: COMMON_TYPES,
    type_required: true,
    switch: DISABLED,
    timeouts: SECONDS,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "oauth",
        "oauth_client_id",
        "oauth_client_secret",
        "disabled",
        "enabled_tools",
        "disabled_tools",
        "timeout",
    ],
    ..CLAUDE_CODE
};

pub(super) const COPILOT_CLI: Spelling = Spelling {
    types: &[("local", Word::Stdio), ("http", STREAMABLE), ("sse", SSE), ("stdio", Word::Stdio)],
    untyped: Untyped::Takes(Streamable),
    cwd: Some("cwd"),
    timeouts: MILLISECONDS,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "tools",
        "deferTools",
        "oauthClientId",
        "auth",
        "oauth",
        "timeout",
    ],
    ..CLAUDE_CODE
};

pub(super) const KIRO: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    switch: DISABLED,
    keys: &[
        "command",
        "args",
        "env",
        "url",
        "headers",
        "oauth",
        "oauthScopes",
        "disabled",
        "autoApprove",
        "disabledTools",
        "timeout",
    ],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(super) const AMAZON_Q: Spelling = Spelling {
    types: &[("stdio", Word::Stdio), ("http", STREAMABLE)],
    switch: DISABLED,
    timeouts: MILLISECONDS,
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "oauthScopes",
        "oauth",
        "disabled",
        "timeout",
        "disabledTools",
    ],
    ..CLAUDE_CODE
};

pub(super) const AMP: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Auto),
    switch: DISABLED,
    keys: &["command", "args", "env", "url", "headers", "disabled", "includeTools"],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(super) const FACTORY: Spelling = Spelling {
    types: COMMON_TYPES,
    switch: DISABLED,
    timeouts: &[("timeoutMs", Unit::Milliseconds)],
    keys: &[
        "type",
        "command",
        "args",
        "env",
        "url",
        "headers",
        "oauth",
        "disabled",
        "enabledTools",
        "disabledTools",
        "timeoutMs",
    ],
    ..CLAUDE_CODE
};

pub(super) const ANTIGRAVITY: Spelling = Spelling {
    urls: SERVER_URL,
    keys: &["command", "args", "env", "serverUrl", "headers", "disabled", "disabledTools", "$typeName"],
    ..WINDSURF
};

pub(super) const JUNIE: Spelling = Spelling {
    untyped: Untyped::Takes(Auto),
    headers: &["headers"],
    keys: &["type", "command", "args", "env", "url", "headers", "enabled"],
    ..CLAUDE_DESKTOP
};

pub(super) const TRAE: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Auto),
    keys: &["command", "args", "env", "url", "headers", "fromGalleryId"],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};

pub(super) const VIBE: Spelling = Spelling {
    type_keys: &["transport"],
    types: &[("stdio", Word::Stdio), ("streamable-http", STREAMABLE), ("http", STREAMABLE)],
    type_required: true,
    command: CommandShape::LineOrList,
    cwd: Some("cwd"),
    bearer: &["api_key_env"],
    switch: DISABLED,
    timeouts: &[("startup_timeout_sec", Unit::Seconds)],
    named: true,
    keys: &[
        "name",
        "transport",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "api_key_env",
        "api_key_header",
        "api_key_format",
        "auth",
        "disabled",
        "disabled_tools",
        "prompt",
        "startup_timeout_sec",
        "tool_timeout_sec",
        "sampling_enabled",
    ],
    example: "`name`, `transport = \"stdio\"` and `command = \"…\"` in a table `[[mcp_servers]]`",
    ..CLAUDE_CODE
};

pub(super) const KIMI_CLI: Spelling = Spelling {
    type_keys: &["transport"],
    types: &[("http", STREAMABLE), ("sse", SSE), ("stdio", Word::Stdio)],
    writes_stdio: false,
    untyped: Untyped::Takes(Streamable),
    keys: &["transport", "command", "args", "env", "url", "headers", "auth"],
    ..CLAUDE_CODE
};

pub(super) const KIMI_CODE: Spelling = Spelling {
    type_keys: &["type", "transport"],
    types: COMMON_TYPES,
    untyped: Untyped::Takes(Streamable),
    cwd: Some("cwd"),
    bearer: &["bearerTokenEnvVar"],
    switch: ENABLED,
    timeouts: &[("startupTimeoutMs", Unit::Milliseconds)],
    keys: &[
        "type",
        "transport",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "bearerTokenEnvVar",
        "enabled",
        "enabledTools",
        "disabledTools",
        "startupTimeoutMs",
        "toolTimeoutMs",
    ],
    ..CLAUDE_CODE
};

pub(super) const PORTER: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Streamable),
    commands: &["command", "executable"],
    command: CommandShape::LineOrList,
    urls: &[("baseUrl", None), ("base_url", None), ("url", None), ("serverUrl", None), ("server_url", None)],
    bearer: &["bearerTokenEnv", "bearer_token_env"],
    token: &["bearerToken", "bearer_token"],
    keys: &[
        "command",
        "executable",
        "args",
        "env",
        "baseUrl",
        "base_url",
        "url",
        "serverUrl",
        "server_url",
        "headers",
        "bearerToken",
        "bearer_token",
        "bearerTokenEnv",
        "bearer_token_env",
        "auth",
        "clientName",
        "oauthRedirectUrl",
        "tokenCacheDir",
        "lifecycle",
        "description",
    ],
    example: "`{ \"command\": \"…\" }` or `{ \"baseUrl\": \"https://…\" }`",
    ..CLAUDE_CODE
};

pub(super) const WARP: Spelling = Spelling {
    types: &[],
    untyped: Untyped::Takes(Auto),
    cwd: Some("working_directory"),
    keys: &["command", "args", "env", "working_directory", "url", "headers", "start_on_launch"],
    example: URL_EXAMPLE,
    ..CLAUDE_CODE
};
