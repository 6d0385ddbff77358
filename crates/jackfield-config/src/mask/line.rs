//! Secrets in arguments, command lines and JSON: what a secret is depends on what stands before it.

use super::{MASK, is_reference, is_secret_key, looks_secret, value};
use crate::format::json as jsonc;
use crate::format::{Kind, Node};

/// What the words before let one expect of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Anything,
    /// Behind `--token`.
    Secret,
    /// Behind `--header` and `--env`.
    Pair,
}

/// Arguments without the secrets in them or after them.
pub fn args(args: &[String]) -> Vec<String> {
    let mut next = Next::Anything;
    args.iter().map(|arg| one(arg, &mut next, true)).collect()
}

/// A whole command line in one text, without the secrets in it. What is not secret stays as it is written.
pub fn command_line(line: &str) -> String {
    let mut next = Next::Anything;
    let mut shown = String::with_capacity(line.len());
    for Word { gap, quote, text } in words(line) {
        shown.push_str(gap);
        let word = one(text, &mut next, quote.is_some());
        match quote {
            Some(quote) => shown.extend([quote.to_string(), word, quote.to_string()]),
            None => shown.push_str(&word),
        }
    }
    shown.push_str(&line[line.trim_end().len()..]);
    shown
}

/// The words of a command line, out of their quotes.
pub(crate) fn split_words(line: &str) -> Vec<String> {
    words(line).into_iter().map(|word| word.text.to_owned()).collect()
}

struct Word<'a> {
    /// The blanks before.
    gap: &'a str,
    /// The quote around the whole word.
    quote: Option<char>,
    text: &'a str,
}

/// Quotes hold a word together; one that is not closed is a letter like others.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.trim_start().is_empty() {
        let start = rest.len() - rest.trim_start().len();
        let (gap, from) = rest.split_at(start);
        let mut end = 0;
        let mut whole = None;
        while let Some(letter) = from[end..].chars().next().filter(|letter| !letter.is_whitespace()) {
            let inside = end + letter.len_utf8();
            let closing = matches!(letter, '"' | '\'')
                .then(|| from[inside..].find(letter))
                .flatten()
                .map(|at| inside + at);
            if let Some(closing) = closing {
                whole = (end == 0).then_some((letter, closing));
                end = closing + 1;
            } else {
                whole = None;
                end = inside;
            }
        }
        let (word, after) = from.split_at(end);
        words.push(match whole {
            Some((quote, closing)) => Word { gap, quote: Some(quote), text: &word[1..closing] },
            None => Word { gap, quote: None, text: word },
        });
        rest = after;
    }
    words
}

/// One argument; `whole` says that blanks in it may separate words of another command line.
fn one(arg: &str, next: &mut Next, whole: bool) -> String {
    let before = std::mem::replace(next, Next::Anything);
    if let Some(shown) = json(arg) {
        return if before == Next::Secret { MASK.to_owned() } else { shown };
    }
    let name = arg.trim_start_matches('-');
    let is_flag = arg.starts_with('-') && !name.is_empty();
    if is_flag && !arg.contains(|c: char| c == '=' || c == ':' || c.is_whitespace()) {
        if is_header_flag(arg) || is_env_flag(arg) {
            *next = Next::Pair;
        } else if is_secret_key(name) {
            *next = Next::Secret;
        }
        return if looks_secret(name) { MASK.to_owned() } else { arg.to_owned() };
    }
    if before == Next::Secret {
        // `Bearer`, and the secret is still to come.
        if is_scheme(arg) {
            *next = Next::Secret;
            return arg.to_owned();
        }
        return value(Some("secret"), arg);
    }
    if is_label(arg) {
        *next = Next::Secret;
        return arg.to_owned();
    }
    let shown = match arg.split_once('=') {
        Some((key, text)) if before == Next::Anything && is_flag && is_header_flag(key) => {
            format!("{key}={}", in_quotes(text, pair))
        }
        Some((key, text)) if before == Next::Anything && is_secret_key(key) && !text.is_empty() => {
            format!("{key}={}", value(Some("secret"), text))
        }
        Some(_) | None => pair(arg),
    };
    if shown == arg && whole && arg.contains(char::is_whitespace) { command_line(arg) } else { shown }
}

fn is_header_flag(flag: &str) -> bool {
    matches!(flag, "--header" | "-H" | "--headers")
}

fn is_env_flag(flag: &str) -> bool {
    matches!(flag, "-e" | "--env")
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// `Authorization:`, alone.
fn is_label(word: &str) -> bool {
    let bare = word.strip_suffix(':');
    bare.is_some_and(|bare| !bare.contains([' ', '/', '=']) && is_secret_key(bare))
}

fn in_quotes(text: &str, show: impl Fn(&str) -> String) -> String {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return format!("{quote}{}{quote}", show(inner));
        }
    }
    show(text)
}

/// `Name: value`, `NAME=value`, or any other argument.
fn pair(arg: &str) -> String {
    if !arg.contains("://") || arg.find(':') < arg.find("://") {
        if let Some((name, text)) = arg.split_once(':')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !text.starts_with("//")
            && !text.is_empty()
        {
            let space = &text[..text.len() - text.trim_start().len()];
            return format!("{name}:{space}{}", value(Some(name), text.trim_start()));
        }
        if let Some((name, text)) = arg.split_once('=')
            && !name.contains(char::is_whitespace)
            && !text.is_empty()
        {
            return format!("{name}={}", value(Some(name), text));
        }
    }
    value(None, arg)
}

/// A JSON object or list in a text: strings and numbers behind a key of a secret are masked, everything else is as
/// written. `None` if it is neither.
pub(super) fn json(text: &str) -> Option<String> {
    let begin = text.trim_start();
    if !begin.starts_with(['{', '[']) || is_reference(text) {
        return None;
    }
    let root = jsonc::parse(text, true, true).ok()?.root?;
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    hide(&root, None, &mut |node, mask| {
        shown.push_str(text.get(at..node.span.start).unwrap_or_default());
        shown.push_str(&serde_json::Value::from(mask).to_string());
        at = node.span.end;
    });
    shown.push_str(text.get(at..).unwrap_or_default());
    Some(shown)
}

/// Calls `put` for every value that must not be shown, in the order of the text. Depth is bounded by the parser.
fn hide(node: &Node, key: Option<&str>, put: &mut impl FnMut(&Node, String)) {
    match &node.kind {
        Kind::String(text) => {
            let shown = value(key, text);
            if shown != *text {
                put(node, shown);
            }
        }
        Kind::Number(_) if key.is_some_and(is_secret_key) => put(node, MASK.to_owned()),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
        Kind::Array(items) => items.iter().for_each(|item| hide(item, key, put)),
        Kind::Object(members) => {
            for member in members {
                // All that a secret is made of is secret.
                let inherited = key.filter(|key| is_secret_key(key));
                hide(&member.value, inherited.or(Some(&member.key)), put);
            }
        }
    }
}

/// `"apiKey":"x"` in a word of a text that is not JSON as a whole: what follows the key goes.
pub(super) fn quoted_pair(word: &str) -> Option<String> {
    word.match_indices(':').find_map(|(at, _)| {
        let (before, after) = (&word[..at], &word[at + 1..]);
        let quoted = before.trim_end_matches('\\');
        let key = quoted.strip_suffix(['"', '\'']).filter(|_| !after.is_empty())?;
        let key = key.trim_end_matches('\\');
        let begin =
            key.rfind(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).map_or(0, |at| at + 1);
        is_secret_key(key.get(begin..)?).then(|| format!("{before}:{MASK}"))
    })
}
