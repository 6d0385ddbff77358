//! Whole tables with headers: added, taken out, given another name.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, Table, Value as TomlValue};

use super::{extent, key_text, own_extent, render};
use crate::edit::text::{self, Splice};

/// The lines of a new table, without the last line end. `header` is the whole path; with `nested`, a table in it gets a
/// header, too.
pub(super) fn block(header: &[String], value: &Value, list: bool, nested: bool, eol: &str) -> String {
    let name = header.iter().map(|key| key_text(key)).collect::<Vec<_>>().join(".");
    let mut lines = vec![if list { format!("[[{name}]]") } else { format!("[{name}]") }];
    let mut below = Vec::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        if nested && value.as_object().is_some_and(|map| !map.is_empty()) {
            let header: Vec<String> = header.iter().chain([key]).cloned().collect();
            below.push(format!("{eol}{}", block(&header, value, false, false, eol)));
        } else {
            lines.push(format!("{} = {}", key_text(key), render(value)));
        }
    }
    lines.extend(below);
    lines.join(eol)
}

/// Whether tables within the entries at `root` get headers of their own: where some have, and where none are in a line.
pub(super) fn have_headers(document: &Document<&str>, root: &[String]) -> bool {
    let mut table: &Table = document.as_table();
    for key in root {
        match table.get(key) {
            Some(Item::Table(inner)) => table = inner,
            Some(Item::Value(_) | Item::ArrayOfTables(_) | Item::None) | None => return true,
        }
    }
    let mut in_line = false;
    for (_, entry) in table.iter() {
        let Item::Table(entry) = entry else { continue };
        for (_, item) in entry.iter() {
            match item {
                Item::Table(inner) if !inner.is_dotted() => return true,
                Item::Value(TomlValue::InlineTable(_)) => in_line = true,
                Item::Table(_) | Item::Value(_) | Item::ArrayOfTables(_) | Item::None => {}
            }
        }
    }
    !in_line
}

/// Tables with a header below one that is written in dotted keys.
pub(super) fn headed_below(dotted: &Table) -> Vec<&Table> {
    let mut found = Vec::new();
    for (_, item) in dotted.iter() {
        match item {
            Item::Table(inner) if inner.is_dotted() => found.extend(headed_below(inner)),
            Item::Table(inner) => found.push(inner),
            Item::Value(_) | Item::ArrayOfTables(_) | Item::None => {}
        }
    }
    found
}

/// Puts a block behind the table at `end`, or at the end of the file, with a blank line before it.
pub(super) fn insert(text: &str, end: usize, block: &str) -> Splice {
    let eol = text::eol(text);
    if end == 0 {
        return match text {
            "" => Splice::insert(0, format!("{block}{eol}")),
            _ if text.ends_with('\n') => Splice::insert(text.len(), format!("{eol}{block}{eol}")),
            _ => Splice::insert(text.len(), format!("{eol}{eol}{block}")),
        };
    }
    let stop = text::line_end(text, end);
    match text::newline_at(text, stop) {
        Some(len) => Splice::insert(stop + len, format!("{eol}{block}{eol}")),
        None => Splice::insert(stop, format!("{eol}{eol}{block}")),
    }
}

/// The lines of a table with a header and of all tables below it, each with the blank line before it.
pub(super) fn regions(text: &str, table: &Table) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    collect(text, table, &mut found)?;
    found.sort_by_key(|range: &Range<usize>| range.start);
    // Tables that follow each other share a border.
    found.dedup_by(|next, last| {
        let overlap = next.start <= last.end;
        if overlap {
            last.end = last.end.max(next.end);
        }
        overlap
    });
    // The last line of a file has no end: the one before loses its own.
    if let Some(last) = found.last_mut().filter(|last| last.end == text.len() && !text.ends_with('\n')) {
        last.start = text::newline_before(text, last.start);
    }
    Some(found)
}

fn collect(text: &str, table: &Table, into: &mut Vec<Range<usize>>) -> Option<()> {
    if table.is_dotted() {
        return None;
    }
    if let Some(header) = table.span().filter(|span| !table.is_implicit() && !span.is_empty()) {
        into.push(lines(text, header.start, own_extent(table).max(header.end)));
    }
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if inner.is_dotted() => {}
            Item::Table(inner) => collect(text, inner, into)?,
            Item::ArrayOfTables(inner) => inner.iter().try_for_each(|inner| collect(text, inner, into))?,
            Item::Value(_) | Item::None => {}
        }
    }
    Some(())
}

/// Whole lines from the header to the last value, and a blank line before them.
fn lines(text: &str, start: usize, end: usize) -> Range<usize> {
    let mut begin = text::line_start(text, start);
    let stop = text::line_end(text, end);
    let before = text::newline_before(text, begin);
    let blank_before = before < begin && text::line_start(text, before) == before && before > 0;
    if blank_before {
        begin = before;
    }
    match text::newline_at(text, stop) {
        Some(len) => begin..stop + len,
        None => begin..stop,
    }
}

/// The places of a key in every header that has it: the `depth`th part of each.
pub(super) fn in_headers(text: &str, table: &Table, depth: usize) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    if let Some(header) = table.span().filter(|span| !table.is_implicit() && !span.is_empty()) {
        found.push(part(text, header, depth)?);
    }
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if inner.is_dotted() => {}
            Item::Table(inner) => found.extend(in_headers(text, inner, depth)?),
            Item::ArrayOfTables(inner) => {
                for inner in inner.iter() {
                    found.extend(in_headers(text, inner, depth)?);
                }
            }
            Item::Value(_) | Item::None => {}
        }
    }
    Some(found)
}

/// Where the `depth`th key of a header, or of a dotted key, stands, quotes included.
pub(super) fn part(text: &str, header: Range<usize>, depth: usize) -> Option<Range<usize>> {
    let mut at = header.start + text[header.clone()].find(|c| c != '[')?;
    for index in 0.. {
        at = text::skip_blanks(text, at);
        let rest = &text[at..header.end];
        let end = match rest.chars().next()? {
            '\'' => at + 1 + rest[1..].find('\'')? + 1,
            '"' => {
                let mut escaped = false;
                let close = rest[1..].find(|c| {
                    let closes = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    closes
                })?;
                at + 1 + close + 1
            }
            _ => at + rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))?,
        };
        if index == depth {
            return Some(at..end);
        }
        at = text::skip_blanks(text, end);
        at += text[at..].strip_prefix('.').map(|_| 1)?;
    }
    None
}

/// All comments with their places.
pub(crate) fn comments(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['#', '"', '\'']).map(|next| at + next) {
        let rest = &text[next..];
        if rest.starts_with('#') {
            let end = text::line_end(text, next);
            found.push((next..end, text[next..end].trim_end().to_owned()));
            at = end;
            continue;
        }
        at = next + string_len(rest);
    }
    found
}

/// The length of the string that begins here, quotes included.
fn string_len(rest: &str) -> usize {
    for (quote, escapes) in [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)] {
        let Some(inner) = rest.strip_prefix(quote) else { continue };
        let mut at = 0;
        while let Some(found) =
            inner[at..].find([quote.chars().next().unwrap_or('"'), '\\']).map(|found| at + found)
        {
            if inner[found..].starts_with('\\') {
                let skipped =
                    if escapes { inner[found + 1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
                at = found + 1 + skipped;
            } else if inner[found..].starts_with(quote) {
                let mut end = found + quote.len();
                // Up to two more quotes may belong to the text of a long string.
                while quote.len() == 3 && inner[end..].starts_with(&quote[..1]) && end < found + 5 {
                    end += 1;
                }
                return quote.len() + end;
            } else {
                at = found + 1;
            }
        }
        return rest.len();
    }
    1
}

/// The bytes that belong to what stands at a path.
pub(super) fn own_range(text: &str, path: &[String]) -> Option<Range<usize>> {
    let document = Document::parse(text).ok()?;
    let mut table: &Table = document.as_table();
    for (depth, name) in path.iter().enumerate() {
        let (key, item) = table.get_key_value(name)?;
        let last = depth + 1 == path.len();
        match item {
            Item::Table(inner) if last => {
                let found = regions(text, inner)?;
                return Some(found.first()?.start..found.last()?.end);
            }
            Item::Table(inner) => table = inner,
            Item::ArrayOfTables(tables) => {
                let name = path.get(depth + 1)?;
                let entry = tables.iter().find(|entry| named(entry) == Some(name))?;
                if depth + 2 == path.len() {
                    let found = regions(text, entry)?;
                    return Some(found.first()?.start..found.last()?.end);
                }
                return None;
            }
            Item::Value(value) if last => {
                let start = key.span().map_or(0, |span| span.start);
                return Some(start..text::line_end(text, value.span()?.end));
            }
            Item::Value(TomlValue::InlineTable(inner)) => {
                let span = inner.span()?;
                return Some(span);
            }
            Item::Value(_) | Item::None => return None,
        }
    }
    None
}

/// The name that an entry of a list carries.
pub(super) fn named(table: &Table) -> Option<&str> {
    table.get("name").and_then(Item::as_str)
}

/// Where the last thing of a list of tables ends.
pub(super) fn end_of_list(tables: &toml_edit::ArrayOfTables) -> usize {
    tables.iter().map(extent).max().unwrap_or(0)
}
