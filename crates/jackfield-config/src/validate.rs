//! What is wrong with an entry beyond its structure, and what its owner would say.
//!
//! The structural messages themselves arise where the transport is read (`dialect::entry`).

use url::Url;

use crate::definition::Transport;
use crate::diagnostic::{Code, Severity};
use crate::dialect::Spelling;
use crate::dialect::fields::Fields;
use crate::host::{Dialect, Host, Scope};
use crate::mask;
use crate::places::Os;
use crate::value::{self, Role, ValueExpr, ValueKind, VariableSyntax};

mod keys;

pub(crate) use keys::keys;

/// A finding without its place.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) title: String,
    pub(crate) detail: String,
}

/// Checks a name that we create, with the messages for each rule. Names found in files may hold anything.
pub fn new_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("Server name cannot be empty")
    } else if name.chars().count() > 100 {
        Err("Server name is too long (max 100 characters)")
    } else if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        Err("Server name can only contain letters, numbers, dash, underscore, and dot")
    } else {
        Ok(())
    }
}

/// The words a host takes as a type, for a message.
pub(crate) fn accepted(spelling: &Spelling) -> String {
    spelling.types.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Tells what is meant otherwise than it is taken in a string.
pub(crate) fn value(raw: &str, parsed: &ValueExpr, role: Role, host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let ValueKind::Command(_) = parsed.kind {
        return findings;
    }
    if let Some((found, right)) = value::foreign(raw, host.variables, role) {
        // A shell's `$X` in an argument may well be for a shell.
        let for_shell = role == Role::Other && found.starts_with('$') && !found.starts_with("${");
        // A default may be a secret.
        let found = found.split_once(":-").map_or(found.clone(), |(name, _)| format!("{name}:-…}}"));
        if !for_shell {
            findings.push(Finding {
                code: Code::ForeignVariable,
                severity: Severity::Warning,
                title: format!("variable syntax not understood by {}: `{found}`", host.name),
                detail: format!("{} The text is used as it stands.", instead(host, &right)),
            });
        }
    }
    match role {
        Role::Env | Role::Header if parsed.kind == ValueKind::Literal => {
            literal_here(raw, host, &mut findings)
        }
        Role::Env | Role::Header | Role::Other => {}
    }
    findings
}

fn instead(host: &Host, right: &str) -> String {
    if !right.is_empty() {
        return format!("Write `{right}` here.");
    }
    match (host.dialect, host.variables) {
        (Dialect::Codex, _) => {
            "Codex evaluates no variables: name them in `env_vars`, `env_http_headers` or `bearer_token_env_var`."
                .to_owned()
        }
        (_, VariableSyntax::None) => format!("{} evaluates no variables: write the value itself.", host.name),
        (_, _) => format!("{} has nothing like it: write the value itself.", host.name),
    }
}

fn literal_here(raw: &str, host: &Host, findings: &mut Vec<Finding>) {
    let would = if raw.starts_with('!') && raw.len() > 1 {
        "run it as a command"
    } else if raw.contains('_')
        && raw.starts_with(|c: char| c.is_ascii_uppercase())
        && raw.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    {
        "take the value of the environment variable of this name, if it is set"
    } else {
        return;
    };
    findings.push(Finding {
        code: Code::LiteralHere,
        severity: Severity::Info,
        title: format!("{} uses this value as it stands; xcsh would {would}", host.name),
        detail: "Switch on `resolve_everywhere` in the settings to have it evaluated in all files."
            .to_owned(),
    });
}

/// Checks what the transport holds, and the name.
pub(crate) fn definition(fields: &mut Fields<'_>, transport: &Transport) {
    name(fields);
    match transport {
        Transport::Stdio { command, args, cwd, .. } => {
            command_line(fields, command, args);
            tildes(fields, command, args, cwd.as_ref());
            if let Some(advice) = windows_wrapper(Os::current(), &command.raw) {
                let title = format!("`{}` is a script on Windows and does not start by itself", command.raw);
                fields.find(Code::CommandLine, Severity::Warning, fields.at, title, advice);
                let words: Vec<&str> = ["/c", command.raw.as_str()]
                    .into_iter()
                    .chain(args.iter().map(|arg| arg.raw.as_str()))
                    .collect();
                if let Some(key) = fields.spelling.commands.first() {
                    let changes = vec![
                        fields.setting(&[*key], serde_json::json!("cmd")),
                        fields.setting(&["args"], serde_json::json!(words)),
                    ];
                    fields.cure("Start it through `cmd /c`", changes);
                }
            }
            for value in std::iter::once(command).chain(args) {
                if let Some(title) = eaten_backslash(&value.raw) {
                    let detail = "JSON takes `\\t`, `\\n`, `\\b`, `\\f` and `\\r` for control characters. Double each backslash, or write `/`.";
                    let at = fields.start_of(&value.raw);
                    fields.find(Code::ControlCharacter, Severity::Warning, at, title, detail);
                    let change = with_backslashes(&value.raw).and_then(|text| fields.replacing(at, &text));
                    fields.cure("Write the backslashes", change.into_iter().collect());
                }
            }
        }
        Transport::Http { url, .. } => url_syntax(fields, url),
        Transport::Unknown => {}
    }
}

fn name(fields: &mut Fields<'_>) {
    let codex = fields.spec.dialect == Dialect::Codex;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c) || (c == '.' && !codex);
    if fields.name.is_empty() || !fields.name.chars().all(plain) {
        let (severity, who) =
            if codex { (Severity::Warning, "Codex") } else { (Severity::Info, "some applications") };
        let title = if fields.name.is_empty() {
            "the name of the server is empty".to_owned()
        } else {
            format!("the name `{}` holds characters that {who} may refuse", fields.name)
        };
        let mut detail =
            "Letters, digits, dash and underscore work everywhere. Rename the server if it is refused."
                .to_owned();
        if codex && let Some((server, table)) = fields.name.rsplit_once('.') {
            detail = format!(
                "In quotes, the dot is part of the name. If you meant a table of the server `{server}`, write `[mcp_servers.{server}.{table}]`. {detail}"
            );
        }
        fields.find(Code::OddName, severity, fields.at, title, detail);
        let plain = plain_name(fields.name);
        if !(codex && fields.name.contains('.')) && new_name(&plain).is_ok() {
            fields.cure(format!("Rename it to `{plain}`"), vec![fields.renaming_entry(&plain)]);
        }
    }
}

/// The name with a dash for whatever may be refused.
fn plain_name(name: &str) -> String {
    let dashed: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}

fn command_line(fields: &mut Fields<'_>, command: &ValueExpr, args: &[ValueExpr]) {
    if split_command(&command.raw).is_none() || eaten_backslash(&command.raw).is_some() {
        return;
    }
    let all: Vec<String> =
        mask::split_words(&command.raw).into_iter().chain(args.iter().map(|arg| arg.raw.clone())).collect();
    let shown = mask::args(&all);
    let Some((program, rest)) = shown.split_first() else { return };
    let list: Vec<String> = rest.iter().map(|word| format!("{word:?}")).collect();
    let at = fields.start_of(&command.raw);
    let title = "a whole command line stands in `command`";
    let detail = format!(
        "No program has this name, so it will not be found. Write `\"command\": \"{program}\"` and `\"args\": [{}]`.",
        list.join(", ")
    );
    fields.find(Code::CommandLine, Severity::Warning, at, title, detail);
    // A variable before the program is the shell's to set.
    let program = all.split_first().filter(|(program, _)| !program.contains('='));
    if let (Some(key), Some((program, rest))) = (fields.spelling.commands.first(), program) {
        let changes = vec![
            fields.setting(&[*key], serde_json::json!(program)),
            fields.setting(&["args"], serde_json::json!(rest)),
        ];
        fields.cure("Take it apart", changes);
    }
}

/// The words of a command that cannot be the name of one program. A path may hold spaces.
pub(crate) fn split_command(command: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (first, rest) = words.split_first()?;
    let is_path = first.contains(['/', '\\']) || first.starts_with('~');
    let has_option = rest.iter().any(|word| word.len() > 1 && word.starts_with('-'));
    (!rest.is_empty() && (!is_path || has_option)).then_some(words)
}

fn tildes(fields: &mut Fields<'_>, command: &ValueExpr, args: &[ValueExpr], cwd: Option<&ValueExpr>) {
    let shell = command.raw.rsplit(['/', '\\']).next().is_some_and(|name| {
        matches!(name, "sh" | "bash" | "zsh" | "dash" | "fish" | "powershell" | "powershell.exe" | "pwsh")
    });
    let tilde = |text: &str| text == "~" || text.starts_with("~/") || text.starts_with("~\\");
    // Where in the text it stands.
    let place = |value: &ValueExpr, behind_equals: bool| {
        let behind = value.raw.find('=').filter(|_| behind_equals).map(|at| at + 1);
        [Some(0), behind].into_iter().flatten().find(|at| tilde(&value.raw[*at..]))
    };
    let whole = [Some(command), cwd].into_iter().flatten().map(|value| (value, place(value, false)));
    let args = args.iter().filter(|_| !shell).map(|arg| (arg, place(arg, true)));
    let found: Vec<(&ValueExpr, usize)> =
        whole.chain(args).filter_map(|(value, place)| Some((value, place?))).collect();
    for (value, place) in found {
        let title =
            format!("`{}` begins with a `~` that no shell will expand", mask::command_line(&value.raw));
        let detail = "The program gets the two characters as they are. Write the path of the home folder.";
        let at = fields.start_of(&value.raw);
        fields.find(Code::LiteralTilde, Severity::Warning, at, title, detail);
        if let Some(home) = home_folder(fields) {
            let text = format!("{}{home}{}", &value.raw[..place], &value.raw[place + 1..]);
            let change = fields.replacing(at, &text);
            fields.cure("Write the whole path", change.into_iter().collect());
        }
    }
}

/// The home folder as this file can say it: what a project shares must not name the one of this machine.
fn home_folder(fields: &Fields<'_>) -> Option<String> {
    match fields.spec.scope {
        Scope::User | Scope::Local => Some(fields.home?.to_str()?.to_owned()),
        Scope::Project => fields.spec.host.variables.home_folder().map(str::to_owned),
        Scope::Managed | Scope::Plugin => None,
    }
}

/// What to do about a script that Windows only starts through its shell.
fn windows_wrapper(os: Os, command: &str) -> Option<String> {
    let script = matches!(command, "npx" | "npm" | "pnpm" | "yarn" | "bunx");
    (os == Os::Windows && script)
        .then(|| format!("Write `\"command\": \"cmd\"` and `\"args\": [\"/c\", \"{command}\", …]`."))
}

/// `"C:\new"` in JSON is a drive, a line break and `ew`.
fn eaten_backslash(text: &str) -> Option<String> {
    let drive = text.get(1..2) == Some(":") && text.starts_with(|c: char| c.is_ascii_alphabetic());
    (drive && text.chars().any(char::is_control)).then(|| {
        format!(
            "a Windows path with a control character in it: `{}`",
            mask::command_line(text).escape_debug()
        )
    })
}

/// The path as it was meant; nothing if another control character is in it than those that JSON has a letter for.
fn with_backslashes(text: &str) -> Option<String> {
    let mut whole = String::new();
    for c in text.chars() {
        match c {
            '\t' => whole.push_str("\\t"),
            '\n' => whole.push_str("\\n"),
            '\r' => whole.push_str("\\r"),
            '\u{8}' => whole.push_str("\\b"),
            '\u{c}' => whole.push_str("\\f"),
            c if c.is_control() => return None,
            c => whole.push(c),
        }
    }
    Some(whole)
}

fn url_syntax(fields: &mut Fields<'_>, url: &ValueExpr) {
    // What variables will bring is known at connect time only.
    let literal = matches!(url.kind, ValueKind::Literal | ValueKind::NameOrLiteral);
    let known_scheme =
        url.raw.split_once("://").map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains(['$', '{']));
    if let Some(scheme @ ("unix" | "pipe")) = known_scheme {
        fields.problem(format!(
            "Jackfield does not speak {scheme}://, the address of a socket on this machine"
        ));
        return;
    }
    let fault = match (literal, known_scheme) {
        (_, Some(scheme))
            if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") =>
        {
            Some(format!("url must begin with http:// or https://, not {scheme}://"))
        }
        (true, None) => Some("url must begin with http:// or https://".to_owned()),
        (true, Some(_)) => {
            Url::parse(url.raw.trim()).err().map(|error| format!("url does not parse: {error}"))
        }
        (false, _) => None,
    };
    if let Some(fault) = fault {
        fields.problem(fault);
    }
}

/// Tells in one finding why an entry cannot be used.
pub(crate) fn invalid(fields: &mut Fields<'_>) {
    if fields.problems.is_empty() {
        return;
    }
    let title = fields.problems.join("; ");
    let host = fields.host();
    let mut detail = String::new();
    if title.contains("unknown server type") {
        detail = format!("{host} takes {}.", accepted(fields.spelling));
    }
    let name = fields.name;
    let words = match fields.spec.dialect {
        Dialect::Codex => format!(
            "Codex says `invalid transport in mcp_servers.{name}` and will not start while the entry is like this."
        ),
        Dialect::Gemini if fields.spec.host.id == "gemini" => "Gemini CLI says `Invalid configuration: missing httpUrl (for Streamable HTTP), url (for SSE), and command (for stdio).`".to_owned(),
        Dialect::ClaudeCode if title.contains("needs type") => format!(
            "Claude Code says `MCP server \"{name}\" has a \"url\" but no \"type\"; add \"type\": \"http\" (or \"sse\" / \"ws\")`."
        ),
        _ => String::new(),
    };
    detail = format!("{detail} {words}").trim().to_owned();
    let url = fields.spelling.urls.iter().find_map(|(key, _)| fields.member(key));
    if let Some(url) = url.filter(|url| url.value.as_str().is_some_and(|text| text.trim().is_empty())) {
        let says = match fields.spec.dialect {
            Dialect::ClaudeCode => ", which Claude Code takes as not configured, without a word",
            _ => "",
        };
        detail =
            format!("`{}` is empty{says}. Write where the server is. {detail}", url.key).trim().to_owned();
    }
    for cure in cures(&title, fields.spelling.example) {
        detail.push_str(&format!(" {cure}"));
    }
    for finding in fields.diagnostics.iter().filter(|finding| finding.code == Code::UnknownKey) {
        detail.push_str(&format!(" It has an {}. {}", finding.title, finding.detail));
    }
    let detail = detail.trim().to_owned();
    let only = |words: &str| fields.problems.iter().all(|problem| problem.contains(words));
    let code = if only(": url must begin ")
        || only(": url does not parse")
        || only(", the address of a socket on this machine")
    {
        Code::BadUrl
    } else if fields.spec.dialect == Dialect::ClaudeCode && only(": needs type") {
        Code::UrlWithoutType
    } else {
        Code::InvalidEntry
    };
    let (missing_type, missing_scheme) = (
        title.contains(": needs "),
        title.contains(": url must begin with http:// or https://;")
            || title.ends_with(": url must begin with http:// or https://"),
    );
    fields.find(code, Severity::Error, fields.at, title, detail);
    if missing_type {
        fields.cure("Add the type", fields.typing());
    } else if missing_scheme
        && let Some(member) = fields.spelling.urls.iter().find_map(|(key, _)| fields.member(key))
        && let Some(url) = member.value.as_str()
    {
        let whole = crate::draft::with_scheme(url);
        let change = fields.replacing(member.value.span.start, &whole);
        fields.cure("Put the scheme before it", change.into_iter().collect());
    }
}

/// What to do about the problems of an entry, each once.
fn cures(problems: &str, example: &str) -> Vec<String> {
    let shape = format!("Write {example}, or remove the entry.");
    let table: [(&str, &str); 21] = [
        (
            ": Jackfield does not speak unix://",
            "Write its http address, if it has one, or a command that connects to it.",
        ),
        (
            ": Jackfield does not speak pipe://",
            "Write its http address, if it has one, or a command that connects to it.",
        ),
        (": `api_key_format` must", "Write it as `Bearer {token}`, say."),
        (": the `type` of `auth`", "Write `type = \"static\"` with `api_key_env`, or `type = \"oauth\"`."),
        (" cannot be filled in: ", "Write the value itself in its place."),
        (": expected an object", &shape),
        (" requires \"command\" field", &shape),
        (" requires \"url\" field", &shape),
        (": both \"command\" and \"url\"", "Remove one of the two."),
        (": unknown server type", "Write one of these."),
        (" must be a string", "Write one text in double quotes."),
        (" must be an array of strings", "Write a list of texts, such as `[\"-y\", \"name\"]`."),
        (" must be an object of strings", "Write names with texts, such as `{ \"NAME\": \"value\" }`."),
        (": url must begin", "Write the whole url, such as `https://example.com/mcp`."),
        (": url does not parse", "Write the whole url, such as `https://example.com/mcp`."),
        (": needs type", "Add `\"type\"` with one of these words."),
        (": needs transport", "Add `transport` with one of these words."),
        ("an entry without `name`", "Add `name` to it."),
        ("does not speak WebSocket", "Write `\"type\": \"http\"` and an https url, if the server has one."),
        (" is not supported", "Remove what does not go with it."),
        (
            " takes no \"url\"",
            "Write a command that connects to the url, such as `npx mcp-remote`, or add the server in the application's own settings.",
        ),
    ];
    let mut cures: Vec<String> = Vec::new();
    for (words, cure) in table {
        if problems.contains(words) && !cures.iter().any(|told| told == cure) {
            cures.push(cure.to_owned());
        }
    }
    cures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_we_create() {
        for (name, expected) in [
            ("a.b-c_9", None),
            ("", Some("Server name cannot be empty")),
            ("a b", Some("Server name can only contain letters, numbers, dash, underscore, and dot")),
            (&"x".repeat(100), None),
            (&"x".repeat(101), Some("Server name is too long (max 100 characters)")),
        ] {
            assert_eq!(new_name(name).err(), expected, "{name}");
        }
    }

    #[test]
    fn whole_command_lines() {
        for (command, split) in [
            ("npx -y foo", true),
            ("uv run python", true),
            ("npx", false),
            ("C:\\Program Files\\nodejs\\node.exe", false),
            ("/Users/user/MCP quant/.venv/bin/python", false),
            ("~/Library/Application Support/x/y", false),
            ("/usr/bin/node --inspect", true),
        ] {
            assert_eq!(split_command(command).is_some(), split, "{command}");
        }
    }

    #[test]
    fn windows_only() {
        assert!(windows_wrapper(Os::Windows, "npx").is_some());
        assert!(windows_wrapper(Os::Windows, "cmd").is_none());
        assert!(windows_wrapper(Os::Linux, "npx").is_none());
        assert!(eaten_backslash("C:\new").is_some());
        assert!(eaten_backslash("C:\\new").is_none());
    }
}
