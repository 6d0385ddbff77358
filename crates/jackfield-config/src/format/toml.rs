//! TOML.

use toml_edit::{Document, Item, TableLike, Value};

use super::{Kind, MAX_DEPTH, Member, Node, Parsed, Span, SyntaxError};

/// Parses a text. Duplicate keys are errors in TOML.
pub(crate) fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    let document = Document::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or("not TOML").trim_end_matches('.').to_owned();
        let span = error.span().unwrap_or(0..0);
        if message == "duplicate key" {
            return duplicate(text, &span);
        }
        SyntaxError { message, hint: String::new(), at: span.start }
    })?;
    if text.trim().is_empty() {
        return Ok(Parsed { root: None, notices: Vec::new() });
    }
    let mut walk = Walk { too_deep: None };
    let root = Node { kind: walk.table(document.as_table(), 1), span: 0..text.len() };
    match walk.too_deep {
        Some(at) => Err(SyntaxError {
            message: format!("nested deeper than {MAX_DEPTH} levels"),
            hint: String::new(),
            at,
        }),
        None => Ok(Parsed { root: Some(root), notices: Vec::new() }),
    }
}

/// A key that is written twice: which, and where it stands first.
fn duplicate(text: &str, again: &Span) -> SyntaxError {
    let key = text.get(again.clone()).unwrap_or_default().trim();
    let line_start = text.get(..again.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let first = first_of(text.get(..line_start).unwrap_or_default(), line);
    let place = first.map(|line| format!(", first in line {line}")).unwrap_or_default();
    SyntaxError {
        message: format!("duplicate key `{}`{place}", bare(key)),
        hint: "TOML takes each key once, and the whole file is refused. Remove one of the two, or rename it."
            .to_owned(),
        at: again.start,
    }
}

/// The line before that opens the same table, or sets the same key in the same table.
fn first_of(before: &str, line: &str) -> Option<usize> {
    let header = |line: &str| line.trim_start().starts_with('[').then(|| name(line, ']'));
    let wanted = header(line);
    let mut lines = before.lines().enumerate().collect::<Vec<_>>();
    if wanted.is_none() {
        // Only what stands in the same table.
        let table = lines.iter().rposition(|(_, line)| header(line).is_some()).map_or(0, |at| at + 1);
        lines.drain(..table);
    }
    let same = |other: &str| match &wanted {
        Some(wanted) => header(other).as_ref() == Some(wanted),
        None => other.contains('=') && name(other, '=') == name(line, '='),
    };
    lines.into_iter().find(|(_, line)| same(line)).map(|(index, _)| index + 1)
}

/// What stands before `end`, without blanks and quotes.
fn name(line: &str, end: char) -> String {
    let until = line.find(end).unwrap_or(line.len());
    bare(&line[..until]).chars().filter(|c| !c.is_whitespace()).collect()
}

fn bare(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '"' | '\'')).collect()
}

struct Walk {
    too_deep: Option<usize>,
}

impl Walk {
    fn table(&mut self, table: &dyn TableLike, depth: usize) -> Kind {
        let mut members = Vec::new();
        for (key, item) in table.iter() {
            let key_span = table.key(key).and_then(|key| key.span()).or_else(|| item.span()).unwrap_or(0..0);
            if depth >= MAX_DEPTH {
                self.too_deep = Some(key_span.start);
                break;
            }
            if let Some(value) = self.item(item, &key_span, depth + 1) {
                members.push(Member { key: key.to_owned(), key_span, value });
            }
        }
        Kind::Object(members)
    }

    fn item(&mut self, item: &Item, key_span: &Span, depth: usize) -> Option<Node> {
        let span = item.span().unwrap_or_else(|| key_span.clone());
        let kind = match item {
            Item::None => return None,
            Item::Value(value) => self.value(value, depth),
            Item::Table(table) => self.table(table, depth),
            Item::ArrayOfTables(tables) => Kind::Array(
                tables
                    .iter()
                    .map(|table| Node {
                        kind: self.table(table, depth + 1),
                        span: table.span().unwrap_or_else(|| key_span.clone()),
                    })
                    .collect(),
            ),
        };
        Some(Node { kind, span })
    }

    fn value(&mut self, value: &Value, depth: usize) -> Kind {
        match value {
            Value::String(text) => Kind::String(text.value().clone()),
            Value::Integer(number) => Kind::Number(number.value().to_string()),
            Value::Float(number) => Kind::Number(number.value().to_string()),
            Value::Boolean(value) => Kind::Bool(*value.value()),
            Value::Datetime(value) => Kind::String(value.value().to_string()),
            Value::Array(array) => Kind::Array(
                array
                    .iter()
                    .map(|item| Node { kind: self.value(item, depth + 1), span: item.span().unwrap_or(0..0) })
                    .collect(),
            ),
            Value::InlineTable(table) => self.table(table, depth),
        }
    }
}
