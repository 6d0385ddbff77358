//! Servers in the middle of a text for people: code in Markdown, a link, a configuration with words around it.

use super::{Import, Imported, commands, json, links, one_line, structured, told};

/// What stands in the fences of a Markdown text. The last one may be open.
pub(super) fn fenced(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let after = rest?.split_once("```")?.1;
        // The word behind the fence is the language.
        let (_, inner) = after.split_once('\n')?;
        let (inner, next) = match inner.split_once("```") {
            Some((inner, next)) => (inner, Some(next)),
            None => (inner, None),
        };
        rest = next;
        Some(inner)
    })
}

/// Where an install link begins.
const LINKS: &[&str] = &[
    "cursor://",
    "vscode:mcp/install?",
    "vscode-insiders:mcp/install?",
    "vscode://mcp/install?",
    "lmstudio://",
    "https://insiders.vscode.dev/redirect/mcp/install?",
    "https://vscode.dev/redirect/mcp/install?",
    "https://cursor.com/",
    "https://www.cursor.com/",
];

/// The first server in a text that is none as a whole: a link, commands in lines of their own, code between backticks,
/// an object with words around it.
pub(super) fn within(text: &str) -> Option<Import> {
    link(text).or_else(|| lines(text)).or_else(|| code(text)).or_else(|| object(text))
}

fn link(text: &str) -> Option<Import> {
    let starts = LINKS.iter().flat_map(|link| text.match_indices(link).map(|(at, _)| at));
    // A text full of them is not searched to its end.
    starts.take(100).find_map(|at| {
        let rest = &text[at..];
        let end = rest.find(|c: char| c.is_whitespace() || "()<>[]\"'`".contains(c)).unwrap_or(rest.len());
        links::recognise(&rest[..end])?.ok()
    })
}

fn lines(text: &str) -> Option<Import> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let found: Vec<Import> =
        joined.lines().filter_map(|line| commands::recognise(line.trim())?.ok()).collect();
    let count = found.len();
    let what = found.first()?.what.clone();
    let drafts: Vec<Imported> = found.into_iter().flat_map(|found| found.drafts).collect();
    Some(if count == 1 { Import { what, drafts } } else { told(drafts) })
}

fn code(text: &str) -> Option<Import> {
    let spans = text.split('`').skip(1).step_by(2).take(100);
    // A single word is more often a name.
    spans.map(str::trim).filter(|span| span.contains([' ', '{', '/'])).find_map(|span| {
        let found = links::recognise(span).or_else(|| structured(span)).unwrap_or_else(|| one_line(span));
        found.ok()
    })
}

/// In one line an object is an argument of a command.
fn object(text: &str) -> Option<Import> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let alone = text.lines().count() > 1 && start > 0 && text[..start].ends_with('\n');
    text.get(start..=end).filter(|_| alone).and_then(|object| json(object, "").ok())
}
