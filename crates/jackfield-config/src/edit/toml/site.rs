//! The way of a path through the tables of a document.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike, Value as TomlValue};

use super::tables;
use crate::edit::EditError;
use crate::edit::text;

/// The table that a path leads into, as far as there are tables.
pub(super) struct Site<'d> {
    pub(super) table: Node<'d>,
    /// How many keys of the path were followed into tables, plus one if the last is there as a value.
    pub(super) depth: usize,
    /// The last key that was followed.
    pub(super) key: Option<&'d Key>,
    /// The value at the end of the path.
    pub(super) leaf: Option<(&'d Key, &'d Item)>,
    /// How many keys of the path lead to the header or the braces in which the rest is written.
    pub(super) base: usize,
    /// The innermost `{ … }` around, if any.
    pub(super) braces: Option<&'d InlineTable>,
    /// It is within an entry of a list, which a header cannot name.
    pub(super) in_list: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Node<'d> {
    Table(&'d Table),
    Inline(&'d InlineTable),
}

impl<'d> Node<'d> {
    pub(super) fn get(self, key: &str) -> Option<(&'d Key, &'d Item)> {
        match self {
            Node::Table(table) => table.get_key_value(key),
            Node::Inline(table) => table.get_key_value(key),
        }
    }

    pub(super) fn is_dotted(self) -> bool {
        match self {
            Node::Table(table) => table.is_dotted(),
            Node::Inline(table) => table.is_dotted(),
        }
    }

    pub(super) fn like(self) -> &'d dyn TableLike {
        match self {
            Node::Table(table) => table,
            Node::Inline(table) => table,
        }
    }
}

impl<'d> Site<'d> {
    pub(super) fn walk(
        document: &'d Document<&str>,
        path: &[String],
        list: bool,
    ) -> Result<Site<'d>, EditError> {
        let mut site = Site {
            table: Node::Table(document.as_table()),
            depth: 0,
            key: None,
            leaf: None,
            base: 0,
            braces: None,
            in_list: false,
        };
        let mut skip = false;
        for (depth, name) in path.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            let Some((key, item)) = site.table.get(name) else { break };
            site.depth = depth + 1;
            if depth + 1 == path.len() {
                site.leaf = Some((key, item));
                break;
            }
            let next = match item {
                Item::Table(table) => Node::Table(table),
                Item::Value(TomlValue::InlineTable(table)) => Node::Inline(table),
                // The next key is the name of an entry.
                Item::ArrayOfTables(tables) if list => {
                    let entry = path
                        .get(depth + 1)
                        .and_then(|name| tables.iter().find(|entry| tables::named(entry) == Some(name)));
                    let Some(entry) = entry else { break };
                    site.table = Node::Table(entry);
                    site.key = None;
                    site.depth = depth + 2;
                    site.base = depth + 2;
                    site.in_list = true;
                    skip = true;
                    continue;
                }
                Item::Value(_) | Item::ArrayOfTables(_) | Item::None => {
                    let at = key.span().map_or(0, |span| span.start);
                    return Err(EditError::Shape {
                        name: name.clone(),
                        found: item.type_name(),
                        wanted: "a table",
                        position: text::position(document.raw(), at),
                    });
                }
            };
            if let Node::Inline(table) = next
                && !table.is_dotted()
            {
                site.braces = Some(table);
            }
            if !next.is_dotted() {
                site.base = depth + 1;
            }
            site.table = next;
            site.key = Some(key);
        }
        Ok(site)
    }

    /// Where the key of the table stands if it is written within others' lines: `b` in `a.b.c = 1`.
    pub(super) fn dotted_key(&self) -> Option<Range<usize>> {
        self.key.filter(|_| self.table.is_dotted()).and_then(Key::span)
    }

    /// The keys of the path that are not there.
    pub(super) fn rest<'p>(&self, path: &'p [String]) -> &'p [String] {
        &path[self.depth..]
    }

    /// Where the value at the end of the path stands, and whether there is more than a scalar in it.
    pub(super) fn value(&self, text: &str, path: &[String]) -> Result<(Range<usize>, bool), EditError> {
        let name = || path.last().cloned().unwrap_or_default();
        let unsupported = || EditError::Unsupported { name: name(), why: "it is a table with a header" };
        let value = self.leaf.and_then(|(_, item)| item.as_value()).ok_or_else(unsupported)?;
        let span = value.span().filter(|span| span.end <= text.len()).ok_or_else(unsupported)?;
        Ok((span, value.is_array() || value.is_inline_table()))
    }
}
