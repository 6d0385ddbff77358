//! Secrets, hidden the same way on every surface.
//!
//! Names of things (`${TOKEN}`, a header's name, a flag) stay; what could be used by a reader does not.

use std::borrow::Cow;

mod line;
mod spans;

pub(crate) use line::split_words;
pub use line::{args, command_line};
pub use spans::{loose_spans, spans};

/// What stands for a secret.
pub const MASK: &str = "••••••••";

/// Words that make a key a secret's when they stand in it as words.
const SECRET_WORDS: &[&str] = &[
    "key",
    "keys",
    "apikey",
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pass",
    "authorization",
    "auth",
    "cookie",
    "cookies",
    "dsn",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "pat",
    "signature",
    "sig",
    "session",
];

/// Endings that make a word a secret's when it is written in one piece, as in `APIKEY` or `accesstoken`.
const SECRET_ENDINGS: &[&str] =
    &["apikey", "token", "secret", "password", "passwd", "secretkey", "accesskey", "privatekey", "authkey"];

/// Of these, what no other word takes back.
const ALWAYS_SECRET: &[&str] =
    &["secret", "secrets", "password", "passwd", "passphrase", "authorization", "cookie"];

/// Words that take the secret out of a key: `publicKey`, `key_id`, `token_url`, `max_tokens`.
const HARMLESS_WORDS: &[&str] =
    &["public", "max", "limit", "url", "uri", "endpoint", "path", "file", "type", "count"];

/// Beginnings of well-known tokens.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "pk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "tvly-",
    "lin_api_",
    "ntn_",
    "secret_",
    "figd_",
    "dop_v1_",
    "shpat_",
    "SG.",
    "fc-",
    "ctx7sk",
];

/// Whether a key, a variable or a header of this name usually holds a secret.
pub fn is_secret_key(name: &str) -> bool {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let ends = words.iter().any(|word| SECRET_ENDINGS.iter().any(|end| word.ends_with(end)));
    has(ALWAYS_SECRET) || (has(SECRET_WORDS) || ends) && !has(HARMLESS_WORDS)
}

/// `apiKey`, `API_KEY` and `X-Api-Key` as words in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if !letter.is_alphabetic() || begins {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the value has the shape of a secret, whatever its key.
pub fn looks_secret(value: &str) -> bool {
    let value = value.trim();
    if value.len() < 8 || value.contains(char::is_whitespace) {
        return false;
    }
    let known = PREFIXES.iter().any(|prefix| value.len() >= prefix.len() + 8 && value.starts_with(prefix));
    known || is_random(value)
}

/// Long, of one word, with letters and digits mixed as no one writes them by hand.
fn is_random(value: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_+=.~".contains(c);
    if value.len() < 24 || !value.chars().all(allowed) {
        return false;
    }
    // Words and versions joined by signs are names of things: packages, files, models.
    let longest = value.split(['-', '_', '.', '~']).map(str::len).max().unwrap_or(0);
    if longest < 16 {
        return is_uuid(value);
    }
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let kinds = usize::from(digits > 0)
        + usize::from(value.contains(|c: char| c.is_ascii_uppercase()))
        + usize::from(value.contains(|c: char| c.is_ascii_lowercase()));
    kinds >= 2 && entropy(value) >= 3.0 || digits > 0 && entropy(value) >= 2.5
}

fn is_uuid(value: &str) -> bool {
    let parts: Vec<usize> = value.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && value.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// Bits per character.
#[expect(clippy::cast_precision_loss, reason = "lengths of values are far below 2^52")]
fn entropy(value: &str) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let all = value.len() as f64;
    let share = |count: &usize| *count as f64 / all;
    -counts.iter().filter(|count| **count > 0).map(share).map(|p| p * p.log2()).sum::<f64>()
}

/// The value as it may be shown. A reference such as `${TOKEN}` is a name and stays.
pub fn value(key: Option<&str>, value: &str) -> String {
    if is_reference(value) || value.trim().is_empty() {
        return value.to_owned();
    }
    if let Some((scheme, rest)) = scheme(value) {
        return if is_reference(rest) { value.to_owned() } else { format!("{scheme} {MASK}") };
    }
    if key.is_some_and(is_secret_key) || looks_secret(value) {
        // A command says where a secret is, not what it is.
        if let Some(command) = value.strip_prefix('!') {
            return format!("!{}", command_line(command));
        }
        let shown = form(Some("secret"), value.trim());
        return if is_form(value.trim()) { shown } else { MASK.to_owned() };
    }
    line::json(value).unwrap_or_else(|| words_of(value))
}

/// A variable as it is written in a file, without a default that may be a secret: `${TOKEN:-••••••••}`. `key` is that of
/// the map the text stands in. A text may hold several variables; everything else in it stays.
pub fn form(key: Option<&str>, written: &str) -> String {
    let mut shown = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(start) = rest.find("${") {
        let inner = &rest[start + 2..];
        let Some(end) = inner.find('}') else { break };
        let (before, inner) = (&rest[..start + 2], &inner[..end]);
        shown.push_str(before);
        match inner.split_once(":-") {
            Some((name, default))
                if !default.is_empty()
                    && default.strip_prefix("${").is_none_or(|inner| inner.contains(":-"))
                    && (key.is_some_and(is_secret_key) || is_secret_key(name) || looks_secret(default)) =>
            {
                shown.push_str(name);
                shown.push_str(":-");
                shown.push_str(MASK);
            }
            Some(_) | None => shown.push_str(inner),
        }
        shown.push('}');
        rest = &rest[before.len() + end + 1..];
    }
    shown.push_str(rest);
    shown
}

/// One variable with a default, and nothing beside it.
fn is_form(text: &str) -> bool {
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| inner.contains(":-") && !inner.contains(['{', '}']))
}

fn scheme(value: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    let known = ["bearer", "basic", "token", "digest", "apikey", "bot"]
        .contains(&scheme.to_ascii_lowercase().as_str());
    (known && !rest.trim().is_empty()).then_some((scheme, rest.trim()))
}

/// One or more references and no text that could be a secret.
fn is_reference(value: &str) -> bool {
    let mut rest = value.trim();
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let after = if rest.starts_with("${") || rest.starts_with("{env:") || rest.starts_with("{file:") {
            match rest.find('}') {
                // A default may be a secret.
                Some(end) if !rest[..end].contains(":-") || rest[..end].ends_with(":-") => &rest[end + 1..],
                Some(_) | None => return false,
            }
        } else if let Some(name) = rest.strip_prefix('$') {
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
            if end == 0 {
                return false;
            }
            &name[end..]
        } else {
            return false;
        };
        rest = after;
    }
    true
}

/// A text with spaces, masked word by word: urls and what looks like a secret.
fn words_of(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .map(|word| {
            let bare = word.trim_end();
            let space = &word[bare.len()..];
            format!("{}{space}", one_word(bare))
        })
        .collect()
}

fn one_word(bare: &str) -> Cow<'_, str> {
    let assigned = bare.split_once('=').filter(|(name, value)| {
        // What stands in a url is the url's.
        !name.contains("://") && !is_reference(value) && !value.is_empty() && !is_form(value)
    });
    if let Some((name, value)) = assigned
        && (is_secret_key(name) || looks_secret(value.trim_matches(['"', '\''])))
    {
        format!("{name}={MASK}").into()
    } else if bare.contains("://") {
        // A line of text may set the url in quotes, or end with it.
        let end = bare.trim_end_matches(['"', '\'', ')', ']', '>', ',', ';', '.']).len();
        format!("{}{}", url(&bare[..end]), &bare[end..]).into()
    } else if looks_secret(bare.trim_matches(['"', '\'', ',', ';', ')', '('])) {
        MASK.into()
    } else if let Some(shown) = line::quoted_pair(bare) {
        shown.into()
    } else if bare.contains("${") {
        form(None, bare).into()
    } else {
        bare.into()
    }
}

/// The url without user information and without the values of its query and fragment; their keys stay.
pub fn url(url: &str) -> String {
    // By hand, not by a parser: what does not parse is shown, too, and everything harmless stays as written.
    let url = form(None, url);
    let (before, fragment) =
        url.split_once('#').map_or((url.as_str(), None), |(url, fragment)| (url, Some(fragment)));
    let (address, query) = before.split_once('?').map_or((before, None), |(url, query)| (url, Some(query)));
    let mut shown = match address.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            let authority = match authority.rsplit_once('@') {
                Some((user, host)) if !is_reference(user) => format!("{MASK}@{host}"),
                Some(_) | None => authority.to_owned(),
            };
            let path: Vec<&str> =
                path.split('/').map(|part| if looks_secret(part) { MASK } else { part }).collect();
            format!("{scheme}://{authority}{}", path.join("/"))
        }
        None => address.to_owned(),
    };
    let hidden = |value: &str| match value {
        "" => String::new(),
        value if is_reference(value) => value.to_owned(),
        value if is_form(value) => form(Some("secret"), value),
        _ => MASK.to_owned(),
    };
    let pairs = |text: &str, bare: &dyn Fn(&str) -> String| {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) => format!("{name}={}", hidden(value)),
            None => bare(pair),
        };
        text.split('&').map(pair).collect::<Vec<_>>().join("&")
    };
    if let Some(query) = query {
        let key = |name: &str| if looks_secret(name) { MASK.to_owned() } else { name.to_owned() };
        shown = format!("{shown}?{}", pairs(query, &key));
    }
    if let Some(fragment) = fragment {
        shown = format!("{shown}#{}", pairs(fragment, &hidden));
    }
    shown
}

/// A line of a log, without these secrets and what looks like one.
pub fn text(text: &str, known_secrets: &[String]) -> String {
    let mut known: Vec<&str> =
        known_secrets.iter().map(String::as_str).filter(|secret| secret.len() >= 4).collect();
    // The longest first: one may be a part of another.
    known.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let mut shown = text.to_owned();
    for secret in known {
        if shown.contains(secret) {
            shown = shown.replace(secret, MASK);
        }
    }
    after_scheme(&words_of(&shown))
}

/// `Bearer x` anywhere in a line: the word after the scheme goes.
fn after_scheme(line: &str) -> String {
    let mut hide = false;
    line.split_inclusive(char::is_whitespace)
        .map(|word| {
            let bare = word.trim_end();
            let hidden = std::mem::take(&mut hide) && !bare.is_empty() && !is_reference(bare) && bare != MASK;
            let plain = bare.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            hide = plain.eq_ignore_ascii_case("bearer");
            if hidden && bare.len() >= 8 { format!("{MASK}{}", &word[bare.len()..]) } else { word.to_owned() }
        })
        .collect()
}

#[cfg(test)]
#[path = "mask/tests.rs"]
mod tests;
