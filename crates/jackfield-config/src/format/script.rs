//! A script that adds servers: Crush's `crushrc`, which is Bash with a command `mcp`.
//!
//! Nothing is run. The commands `mcp add` and `mcp remove` that stand by themselves are read as the entries that they
//! make; what the script decides only when it runs is told.

use super::{Kind, Member, Node, Notice, NoticeKind, Parsed, Span, SyntaxError};

/// A word without its quotes, and where it stands with them.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    text: String,
    span: Span,
}

/// The words of one command.
type Command = Vec<Word>;

/// Options that take a name and a value, and the key of the entry they go to.
const PAIRS: &[(&str, &str)] = &[("--env", "env"), ("--header", "headers")];
/// Options that can be there several times.
const LISTS: &[(&str, &str)] =
    &[("--args", "args"), ("--disabled-tools", "disabled_tools"), ("--enabled-tools", "enabled_tools")];
const TEXTS: &[(&str, &str)] = &[
    ("--type", "type"),
    ("--command", "command"),
    ("--url", "url"),
    ("--oauth-client-id", "oauth_client_id"),
    ("--oauth-client-secret", "oauth_client_secret"),
];
const NUMBERS: &[(&str, &str)] =
    &[("--timeout", "timeout"), ("--oauth-callback-port", "oauth_callback_port")];
const SWITCHES: &[(&str, &str)] = &[("--disabled", "disabled"), ("--oauth", "oauth")];

/// Reads a script, as an object with the entries under `mcp`.
pub(crate) fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    let mut servers: Vec<Member> = Vec::new();
    let mut notices = Vec::new();
    let mut inside = 0_usize;
    for command in commands(text)? {
        let words: Vec<&str> = command.iter().map(|word| word.text.as_str()).collect();
        let Some(first) = words.first() else { continue };
        match *first {
            "if" | "for" | "while" | "until" | "case" | "select" | "{" | "(" => inside += 1,
            "fi" | "done" | "esac" | "}" | ")" => inside = inside.saturating_sub(1),
            name if name.ends_with("()") || name == "function" => {
                inside += usize::from(!words.contains(&"{") || words.last() != Some(&"}"));
            }
            _ => {}
        }
        // Behind a word such as `then`, a command follows in the same line.
        let lead = words.iter().take_while(|word| matches!(**word, "then" | "do" | "else" | "{")).count();
        let (words, command) = (&words[lead..], &command[lead..]);
        match words {
            ["mcp", "add", _, ..] if inside > 0 => {
                notices.push(Notice { kind: NoticeKind::Undecided, at: command[0].span.start });
            }
            ["mcp", "add", _, ..] => add(&mut servers, &command[2], &command[3..]),
            ["mcp", "remove" | "rm", name] if inside == 0 => servers.retain(|member| member.key != *name),
            _ => {}
        }
    }
    let whole = 0..text.len();
    let servers = Node { kind: Kind::Object(servers), span: whole.clone() };
    let mcp = Member { key: "mcp".to_owned(), key_span: 0..0, value: servers };
    Ok(Parsed { root: Some(Node { kind: Kind::Object(vec![mcp]), span: whole }), notices })
}

/// Adds a server, or what is said of one that is there.
fn add(servers: &mut Vec<Member>, name: &Word, options: &[Word]) {
    let end = options.last().unwrap_or(name).span.end;
    let at = match servers.iter().position(|member| member.key == name.text) {
        Some(at) => at,
        None => {
            let kind = Kind::Object(vec![member("type", name, text_node("stdio", name))]);
            let value = Node { kind, span: name.span.start..end };
            servers.push(Member { key: name.text.clone(), key_span: name.span.clone(), value });
            servers.len() - 1
        }
    };
    let Some(Kind::Object(fields)) = servers.get_mut(at).map(|member| &mut member.value.kind) else { return };
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let (key, inline) = match option.text.split_once('=') {
            Some((key, value)) if key.starts_with("--") => {
                (key, Some(Word { text: value.to_owned(), span: option.span.clone() }))
            }
            Some(_) | None => (option.text.as_str(), None),
        };
        let mut next = || inline.clone().or_else(|| options.next().cloned());
        let find = |table: &[(&'static str, &'static str)]| {
            table.iter().find(|(name, _)| *name == key).map(|(_, field)| *field)
        };
        if let Some(field) = find(PAIRS) {
            let (Some(key), Some(value)) = (next(), options.next()) else { return };
            let pairs = inner(fields, field, option, || Kind::Object(Vec::new()));
            if let Kind::Object(pairs) = &mut pairs.kind {
                pairs.retain(|pair| pair.key != key.text);
                pairs.push(member(&key.text, &key, text_node(&value.text, value)));
            }
        } else if let Some(field) = find(LISTS) {
            let Some(value) = next() else { return };
            let list = inner(fields, field, option, || Kind::Array(Vec::new()));
            if let Kind::Array(items) = &mut list.kind {
                items.push(text_node(&value.text, &value));
            }
        } else if let Some(field) = find(TEXTS) {
            let Some(value) = next() else { return };
            put(fields, member(field, option, text_node(&value.text, &value)));
        } else if let Some(field) = find(NUMBERS) {
            let Some(value) = next() else { return };
            let number = value.text.parse::<u64>().is_ok();
            let kind =
                if number { Kind::Number(value.text.clone()) } else { Kind::String(value.text.clone()) };
            put(fields, member(field, option, Node { kind, span: value.span.clone() }));
        } else if let Some(field) = find(SWITCHES) {
            let Some(value) = next() else { return };
            let kind = match value.text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Kind::Bool(true),
                "false" | "0" | "no" => Kind::Bool(false),
                _ => Kind::String(value.text.clone()),
            };
            put(fields, member(field, option, Node { kind, span: value.span.clone() }));
        }
    }
}

fn text_node(text: &str, place: &Word) -> Node {
    Node { kind: Kind::String(text.to_owned()), span: place.span.clone() }
}

fn member(key: &str, place: &Word, value: Node) -> Member {
    Member { key: key.to_owned(), key_span: place.span.clone(), value }
}

fn put(fields: &mut Vec<Member>, new: Member) {
    fields.retain(|field| field.key != new.key);
    fields.push(new);
}

/// The value of a field, made if it is not there.
fn inner<'f>(fields: &'f mut Vec<Member>, key: &str, place: &Word, empty: impl Fn() -> Kind) -> &'f mut Node {
    let at = fields.iter().position(|field| field.key == key).unwrap_or_else(|| {
        fields.push(member(key, place, Node { kind: empty(), span: place.span.clone() }));
        fields.len() - 1
    });
    &mut fields[at].value
}

/// The commands of a script, one after the other.
fn commands(text: &str) -> Result<Vec<Command>, SyntaxError> {
    let mut reader = Reader { text, at: 0 };
    let (mut all, mut command): (Vec<Command>, Command) = (Vec::new(), Vec::new());
    while let Some(c) = reader.peek() {
        match c {
            '\\' if reader.rest().starts_with("\\\n") || reader.rest().starts_with("\\\r\n") => {
                reader.skip_line();
            }
            '\n' | ';' | '&' | '|' => {
                reader.at += 1;
                all.push(std::mem::take(&mut command));
            }
            c if c.is_whitespace() => reader.at += c.len_utf8(),
            '#' => {
                reader.at += reader.rest().find('\n').unwrap_or(reader.rest().len());
            }
            _ => command.push(reader.word()?),
        }
    }
    all.push(command);
    all.retain(|command| !command.is_empty());
    Ok(all)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
    }

    /// A word; what stands in quotes or in `$(…)` belongs to it.
    fn word(&mut self) -> Result<Word, SyntaxError> {
        let start = self.at;
        let mut text = String::new();
        let mut quote: Option<(char, usize)> = None;
        let mut parens = 0_usize;
        while let Some(c) = self.peek() {
            let width = c.len_utf8();
            match (c, quote) {
                ('\\', None | Some(('"', _))) => {
                    let next = self.rest().chars().nth(1);
                    match next {
                        // A line that goes on.
                        Some('\n') => {}
                        // In double quotes, most are not escaped.
                        Some(next) if quote.is_none() || matches!(next, '"' | '\\') => text.push(next),
                        Some(next) => text.extend(['\\', next]),
                        None => text.push('\\'),
                    }
                    self.at += width + next.map_or(0, char::len_utf8);
                    continue;
                }
                ('\'', None) | ('"', None) if parens == 0 => quote = Some((c, self.at)),
                ('\'', Some(('\'', _))) | ('"', Some(('"', _))) => quote = None,
                ('(', None) if text.ends_with('$') || parens > 0 => {
                    parens += 1;
                    text.push(c);
                }
                (')', None) if parens > 0 => {
                    parens -= 1;
                    text.push(c);
                }
                (_, Some(_)) => text.push(c),
                (c, None) if parens == 0 && (c.is_whitespace() || matches!(c, ';' | '&' | '|')) => break,
                (_, None) => text.push(c),
            }
            self.at += width;
        }
        match quote {
            Some((_, at)) => Err(SyntaxError {
                message: "a quote is not closed".to_owned(),
                hint: "Crush does not start with such a script. Close the quote.".to_owned(),
                at,
            }),
            None => Ok(Word { text, span: start..self.at }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let parsed = parse(text).unwrap();
        let notices: Vec<_> = parsed.notices.iter().map(|notice| (&notice.kind, notice.at)).collect();
        let told = if notices.is_empty() { String::new() } else { format!(" {notices:?}") };
        format!("{}{told}", parsed.root.unwrap().get("mcp").unwrap().to_value())
    }

    #[test]
    fn what_a_script_adds() {
        let cases = [
            ("", "{}"),
            ("provider add x --type openai\n# mcp add no\noption debug true\n", "{}"),
            (
                "mcp add github \\\n  --type http \\\n  --url \"https://h/mcp/\" \\\n  --header Authorization \"Bearer $GH_PAT\"\n",
                r#"{"github":{"type":"http","url":"https://h/mcp/","headers":{"Authorization":"Bearer $GH_PAT"}}}"#,
            ),
            (
                "mcp add bus --command '/my bus' --args -v --args=2 --env A 1 --env B \"$HOME/b\" --timeout 20 --disabled yes",
                r#"{"bus":{"type":"stdio","command":"/my bus","args":["-v","2"],"env":{"A":"1","B":"$HOME/b"},"timeout":20,"disabled":true}}"#,
            ),
            (
                "mcp add a --command x; mcp add b --command $(which y z)\nmcp rm a",
                r#"{"b":{"type":"stdio","command":"$(which y z)"}}"#,
            ),
            (
                "mcp add a --command x\nmcp add a --disabled true",
                r#"{"a":{"type":"stdio","command":"x","disabled":true}}"#,
            ),
            (
                "if [[ $HOSTNAME == squid ]]; then\n  mcp add a --command x\nfi\nmcp add b --command y",
                r#"{"b":{"type":"stdio","command":"y"}} [(Undecided, 36)]"#,
            ),
            ("f() {\n mcp add a --command x\n}\nmcp add", "{} [(Undecided, 7)]"),
            ("mcp add a --command", r#"{"a":{"type":"stdio"}}"#),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn places_and_open_quotes() {
        let parsed = parse("\nmcp add a --command \"x\"").unwrap().root.unwrap();
        let server = parsed.get("mcp").unwrap().member("a").unwrap();
        assert_eq!((server.key_span.start, &server.value.get("command").unwrap().span), (9, &(21..24)));
        let error = parse("mcp add a --command \"x").unwrap_err();
        assert_eq!((error.at, error.message.as_str()), (20, "a quote is not closed"));
    }
}
