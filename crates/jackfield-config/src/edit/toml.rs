//! TOML: tables with a header, inline tables, dotted keys, lists of tables.

mod site;
mod tables;

use std::ops::Range;

use serde_json::Value;
use site::{Node, Site};
use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike, Value as TomlValue};

use super::group::Group;
use super::plain::Plain;
use super::structural::ItemOp;
use super::text::{self, Comments, Splice};
use super::{Change, Draft, EditError, Missing, Place, Target, quoted, uncapitalized};

fn parse(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| EditError::Syntax {
        message: uncapitalized(&error.message().lines().collect::<Vec<_>>().join(", ")),
        position: text::position(text, error.span().map_or(0, |span| span.start)),
    })
}

/// The value of the text. Tables keep the order of the file here; callers sort.
pub(super) fn plain(text: &str) -> Result<Plain, EditError> {
    Ok(table_plain(text, parse(text)?.as_table()))
}

fn table_plain(text: &str, table: &dyn TableLike) -> Plain {
    Plain::Object(table.iter().map(|(key, item)| (key.to_owned(), item_plain(text, item))).collect())
}

fn item_plain(text: &str, item: &Item) -> Plain {
    match item {
        Item::None => Plain::Scalar(String::new()),
        Item::Value(value) => value_plain(text, value),
        Item::Table(table) => table_plain(text, table),
        Item::ArrayOfTables(tables) => Plain::Array(tables.iter().map(|t| table_plain(text, t)).collect()),
    }
}

fn value_plain(text: &str, value: &TomlValue) -> Plain {
    match value {
        TomlValue::String(string) => Plain::Text(string.value().clone()),
        TomlValue::Array(items) => Plain::Array(items.iter().map(|item| value_plain(text, item)).collect()),
        TomlValue::InlineTable(table) => table_plain(text, table),
        TomlValue::Integer(_) | TomlValue::Float(_) | TomlValue::Boolean(_) | TomlValue::Datetime(_) => {
            Plain::Scalar(value.span().and_then(|span| text.get(span)).unwrap_or_default().to_owned())
        }
    }
}

pub(super) use tables::comments;

/// The text that belongs to the key a change replaces or removes.
pub(super) fn own_range(text: &str, change: &Change) -> Option<Range<usize>> {
    match change {
        Change::Set { target, .. } | Change::Remove { target } => tables::own_range(text, &target.path()),
        Change::Rename { .. } | Change::ListAdd { .. } | Change::ListRemove { .. } => None,
    }
}

/// Works out the splices for a change.
pub(super) fn draft(text: &str, change: &Change) -> Result<Draft, EditError> {
    let document = parse(text)?;
    let target = change.target();
    let path = target.path();
    let name = || target.keys.join(".");
    if let Some((splices, inserted)) = whole_table(text, &document, change, &path)? {
        let created = inserted.then(|| path.clone());
        return Ok(Draft { base: text.to_owned(), splices, inserted, created });
    }
    let place = Site::walk(&document, &path, target.list)?;
    let (splices, inserted, created) = match change {
        Change::Set { value, place: at, missing, .. } => match place.rest(&path) {
            [] => {
                let old = place.value(text, &path)?;
                if old.1 && !(value.is_array() || value.is_object()) {
                    let position = text::position(text, old.0.start);
                    return Err(EditError::Shape {
                        name: name(),
                        found: "a table or list",
                        wanted: "a single value",
                        position,
                    });
                }
                (vec![Splice::replace(old.0, render(value))], false, None)
            }
            [_] => (insert(text, &place, &path, value, *at)?, true, Some(path.clone())),
            [first, ..] if *missing == Missing::Refuse => {
                return Err(EditError::NotFound { name: first.clone() });
            }
            [_, ..] => {
                (create(text, &document, &place, target, value)?, true, Some(path[..=place.depth].to_vec()))
            }
        },
        Change::Remove { .. } if place.depth < path.len() => return Err(EditError::Already),
        Change::Remove { .. } => (remove(text, &place, &path)?, false, None),
        Change::Rename { to, .. } => (rename(text, &place, &path, to)?, false, None),
        // What is done to a list that is there comes in parts.
        Change::ListAdd { item, .. } => {
            let list = Value::Array(vec![Value::String(item.clone())]);
            match place.rest(&path) {
                [] => return Err(shape(text, &place, &path)),
                [_] => (insert(text, &place, &path, &list, Place::Last)?, true, Some(path.clone())),
                [_, ..] => (
                    create(text, &document, &place, target, &list)?,
                    true,
                    Some(path[..=place.depth].to_vec()),
                ),
            }
        }
        Change::ListRemove { .. } if place.depth < path.len() => return Err(EditError::Already),
        Change::ListRemove { .. } => return Err(shape(text, &place, &path)),
    };
    Ok(Draft { base: text.to_owned(), splices, inserted, created })
}

/// Works out the splices for what is done to an item of a list, and where the item stands.
pub(super) fn item(
    text: &str,
    target: &Target,
    op: &ItemOp,
) -> Result<(Vec<Splice>, Option<Range<usize>>), EditError> {
    let document = parse(text)?;
    let name = || target.keys.join(".");
    let path = target.path();
    let site = Site::walk(&document, &path, target.list)?;
    let why = "it is a list of tables with headers";
    let unsupported = || EditError::Unsupported { name: name(), why };
    let array = site.leaf.and_then(|(_, item)| item.as_array()).ok_or_else(unsupported)?;
    let span = array.span().ok_or_else(unsupported)?;
    let members = array.iter().map(|item| item.span()).collect::<Option<Vec<_>>>().ok_or_else(unsupported)?;
    let group = Group {
        text,
        comments: Comments::Hash,
        open: span.start + 1,
        close: span.end - 1,
        members,
        airy: true,
        unit: "  ",
        spreads: false,
    };
    Ok(group.item(op, &|value, _| render(value)))
}

/// Adding an entry as a table of its own, and what is done to an entry of a list; nothing for everything else.
fn whole_table(
    text: &str,
    document: &Document<&str>,
    change: &Change,
    path: &[String],
) -> Result<Option<(Vec<Splice>, bool)>, EditError> {
    let target = change.target();
    let (Some((name, parents)), eol) = (path.split_last(), text::eol(text)) else { return Ok(None) };
    if target.list && target.keys.len() == 1 {
        let site = Site::walk(document, &target.root, true)?;
        let tables = match site.leaf {
            Some((_, Item::ArrayOfTables(tables))) => Some(tables),
            Some((key, item)) => {
                let position = text::position(text, key.span().map_or(0, |span| span.start));
                let (name, found) = (target.root.join("."), item.type_name());
                return Err(EditError::Shape { name, found, wanted: "a list of tables", position });
            }
            None => None,
        };
        let entry = tables.and_then(|tables| tables.iter().find(|entry| tables::named(entry) == Some(name)));
        return match (change, entry) {
            (Change::Set { value, .. }, None) => {
                let mut value = value.clone();
                if let Value::Object(map) = &mut value {
                    map.shift_remove("name");
                    map.shift_insert(0, "name".to_owned(), Value::String(name.clone()));
                }
                let block = tables::block(&target.root, &value, true, false, eol);
                let end = tables.map_or(0, tables::end_of_list);
                Ok(Some((vec![tables::insert(text, end, &block)], true)))
            }
            (Change::Remove { .. }, Some(entry)) => {
                let regions = tables::regions(text, entry).ok_or_else(|| by_hand(name))?;
                Ok(Some((regions.into_iter().map(Splice::cut).collect(), false)))
            }
            (Change::Rename { to, .. }, Some(entry)) => {
                let value = entry.get("name").and_then(Item::as_value).and_then(TomlValue::span);
                let span = value.ok_or_else(|| by_hand(name))?;
                Ok(Some((vec![Splice::replace(span, string_text(to))], false)))
            }
            (Change::Set { .. }, Some(_)) => Err(by_hand(name)),
            (Change::Remove { .. }, None) => Err(EditError::Already),
            (Change::Rename { .. }, None) => Err(EditError::NotFound { name: name.clone() }),
            (Change::ListAdd { .. } | Change::ListRemove { .. }, _) => Err(by_hand(name)),
        };
    }
    let Change::Set { value: value @ Value::Object(_), missing, .. } = change else { return Ok(None) };
    let site = Site::walk(document, path, target.list)?;
    let fresh = site.depth < path.len();
    if !fresh || site.braces.is_some() || site.table.is_dotted() || parents.is_empty() {
        return Ok(None);
    }
    if site.depth < parents.len() && *missing == Missing::Refuse {
        return Err(EditError::NotFound { name: path[site.depth].clone() });
    }
    let Node::Table(table) = site.table else { return Ok(None) };
    // Beside entries in one line each, the new one is in one line, too.
    let in_lines = site.depth == parents.len()
        && site.depth > 0
        && !table.is_implicit()
        && !table.iter().any(|(_, item)| matches!(item, Item::Table(inner) if !inner.is_dotted()))
        && table.iter().any(|(_, item)| matches!(item, Item::Value(TomlValue::InlineTable(_))));
    let nested = tables::have_headers(document, &target.root);
    // Below an entry, a map is a value of it, or a table of its own where the file has such.
    let below_entry = site.depth > target.root.len();
    let own_table = nested
        && site.depth == parents.len()
        && site.depth == target.root.len() + 1
        && !site.in_list
        && value.as_object().is_some_and(|map| !map.is_empty())
        && table.span().is_some();
    if in_lines || (below_entry && !own_table) {
        return Ok(None);
    }
    let end = if site.depth == 0 { 0 } else { extent(table) };
    let block = tables::block(path, value, false, nested && !below_entry, eol);
    Ok(Some((vec![tables::insert(text, end, &block)], true)))
}

/// Something other than a list stands where one is wanted.
fn shape(text: &str, site: &Site<'_>, path: &[String]) -> EditError {
    let (at, found) = site
        .leaf
        .map_or((0, "nothing"), |(key, item)| (key.span().map_or(0, |span| span.start), item.type_name()));
    let name = path.last().cloned().unwrap_or_default();
    EditError::Shape { name, found, wanted: "a list", position: text::position(text, at) }
}

fn by_hand(name: &str) -> EditError {
    EditError::Unsupported { name: name.to_owned(), why: "its table is written in parts" }
}

fn rename(text: &str, site: &Site<'_>, path: &[String], to: &str) -> Result<Vec<Splice>, EditError> {
    let name = path.last().map_or("", String::as_str);
    let Some((key, item)) = site.leaf else { return Err(EditError::NotFound { name: name.to_owned() }) };
    if let Some((other, _)) = site.table.get(to) {
        let position = text::position(text, other.span().map_or(0, |span| span.start));
        return Err(EditError::Exists { name: to.to_owned(), position });
    }
    let places = match item {
        Item::Table(table) if !table.is_dotted() => {
            tables::in_headers(text, table, path.len() - 1).filter(|places| !places.is_empty())
        }
        Item::Table(table) => dotted_places(text, site, table, path).and_then(|mut places| {
            for table in tables::headed_below(table) {
                places.extend(tables::in_headers(text, table, path.len() - 1)?);
            }
            Some(places)
        }),
        Item::Value(TomlValue::InlineTable(table)) if table.is_dotted() => {
            dotted_places(text, site, table, path)
        }
        Item::Value(_) => key.span().map(|span| vec![span]),
        Item::ArrayOfTables(_) | Item::None => None,
    };
    let places = places.ok_or_else(|| by_hand(name))?;
    Ok(places.into_iter().map(|place| Splice::replace(place, key_text(to))).collect())
}

/// The places of the last key of a path in all dotted keys that have it.
fn dotted_places(
    text: &str,
    site: &Site<'_>,
    table: &dyn TableLike,
    path: &[String],
) -> Option<Vec<Range<usize>>> {
    let group = match site.braces {
        Some(braces) => Some(group(text, braces)?),
        None => None,
    };
    let places = own_leaves(table).into_iter().map(|(key, value)| {
        let begin = match &group {
            Some(group) => {
                group.members.iter().find(|member| member.start <= key.start && key.end <= member.end)?.start
            }
            None => text::skip_blanks(text, text::line_start(text, key.start)),
        };
        tables::part(text, begin..value.start, path.len() - 1 - site.base)
    });
    places.collect::<Option<Vec<_>>>().filter(|places| !places.is_empty())
}

/// Inserts a key into a table that is there.
fn insert(
    text: &str,
    site: &Site<'_>,
    path: &[String],
    value: &Value,
    place: Place,
) -> Result<Vec<Splice>, EditError> {
    let name = path.last().map_or("", String::as_str);
    let unsupported = |why| EditError::Unsupported { name: name.to_owned(), why };
    let member = format!("{}{}{}", key_text(name), equals(text, site.table), render(value));
    if let Some(braces) = site.braces {
        let group = group(text, braces).ok_or_else(|| unsupported("its braces were not found"))?;
        if let Some(key) = site.dotted_key() {
            let first =
                group.members.iter().find(|member| member.start <= key.start && key.end <= member.end);
            let from = first.ok_or_else(|| unsupported("its braces were not found"))?.start;
            return Ok(group.insert_inline(from, &|_| format!("{}.{member}", &text[from..key.end])));
        }
        return Ok(match place {
            Place::First => group.insert_first(&|_| member.clone()),
            Place::Last => group.insert_last(&|_| member.clone()),
        });
    }
    let Node::Table(table) = site.table else { return Err(unsupported("its braces were not found")) };
    if let Some(key) = site.dotted_key() {
        // A line of its own with the same beginning, before the first of them or behind the last.
        let begin = text::line_start(text, key.start);
        let line = format!("{}.{member}", &text[begin..key.end]);
        return Ok(match place {
            Place::First => vec![Splice::insert(begin, format!("{line}{}", text::eol(text)))],
            Place::Last => vec![line_after(text, extent(table), &line)],
        });
    }
    let own_lines = || first_key(table).map(|at| text::indent_of(text, at));
    let header = table.span().filter(|_| !table.is_implicit());
    match (header, place) {
        (None, _) => Err(unsupported("only its sub-tables have a header")),
        (Some(header), Place::First) if header.is_empty() => match first_key(table) {
            Some(at) => {
                Ok(vec![Splice::insert(text::line_start(text, at), format!("{member}{}", text::eol(text)))])
            }
            None => Ok(vec![Splice::insert(0, format!("{member}{}", text::eol(text)))]),
        },
        (Some(header), Place::Last) if header.is_empty() && first_key(table).is_none() => {
            Ok(vec![Splice::insert(0, format!("{member}{}", text::eol(text)))])
        }
        (Some(header), Place::First) => {
            let indent = own_lines().unwrap_or_else(|| text::indent_of(text, header.start));
            Ok(vec![line_after(text, header.end, &format!("{indent}{member}"))])
        }
        (Some(header), Place::Last) => {
            let indent = own_lines().unwrap_or_default();
            let end = own_extent(table).max(header.end);
            Ok(vec![line_after(text, end, &format!("{indent}{member}"))])
        }
    }
}

/// Inserts a key below tables that are not there yet.
fn create(
    text: &str,
    document: &Document<&str>,
    site: &Site<'_>,
    target: &Target,
    value: &Value,
) -> Result<Vec<Splice>, EditError> {
    let path = &target.path();
    let nested = |value: &Value| {
        let keys = &path[site.depth + 1..];
        keys.iter()
            .rev()
            .fold(value.clone(), |inner, key| Value::Object([(key.clone(), inner)].into_iter().collect()))
    };
    let inside = || insert(text, site, &path[..=site.depth], &nested(value), Place::Last);
    let Node::Table(table) = site.table else { return inside() };
    let below_entry = site.depth > target.root.len();
    let in_line = below_entry && !tables::have_headers(document, &target.root);
    if site.braces.is_some() || site.table.is_dotted() || site.in_list || in_line {
        return inside();
    }
    let eol = text::eol(text);
    let (key, parents) =
        path.split_last().map_or(("", path.as_slice()), |(key, parents)| (key.as_str(), parents));
    let header = parents.iter().map(|key| key_text(key)).collect::<Vec<_>>().join(".");
    let block = format!("[{header}]{eol}{} = {}", key_text(key), render(value));
    let end = extent(table);
    if end == 0 || site.depth == 0 {
        let gap = match text {
            "" => String::new(),
            _ if text.ends_with('\n') => eol.to_owned(),
            _ => format!("{eol}{eol}"),
        };
        return Ok(vec![Splice::insert(text.len(), format!("{gap}{block}{eol}"))]);
    }
    Ok(vec![line_after(text, end, &format!("{eol}{block}"))])
}

/// Puts a line behind the one in which `at` stands.
fn line_after(text: &str, at: usize, line: &str) -> Splice {
    let end = text[at..].find(['\n', '\r']).map_or(text.len(), |newline| at + newline);
    match text::newline_at(text, end) {
        Some(len) => Splice::insert(end + len, format!("{line}{}", &text[end..end + len])),
        None => Splice::insert(end, format!("{}{line}", text::eol(text))),
    }
}

/// Removes a key with its line, or with its comma; a table with all its lines.
fn remove(text: &str, site: &Site<'_>, path: &[String]) -> Result<Vec<Splice>, EditError> {
    if let Some((_, Item::Table(table))) = site.leaf {
        let name = path.last().map_or("", String::as_str);
        if table.is_dotted() {
            let lines = own_leaves(table).into_iter().map(|(key, value)| {
                let end = text::line_end(text, value.end);
                Splice::cut(text::line_start(text, key.start)..end + text::newline_at(text, end).unwrap_or(0))
            });
            let mut cuts: Vec<Splice> = lines.collect();
            for table in tables::headed_below(table) {
                let regions = tables::regions(text, table).ok_or_else(|| by_hand(name))?;
                cuts.extend(regions.into_iter().map(Splice::cut));
            }
            return Ok(cuts);
        }
        let regions = tables::regions(text, table).ok_or_else(|| by_hand(name))?;
        return Ok(regions.into_iter().map(Splice::cut).collect());
    }
    let (value, _) = site.value(text, path)?;
    if let Some(braces) = site.braces {
        let group = group(text, braces);
        let found = group.and_then(|group| {
            let index = group.members.iter().position(|member| member.end == value.end)?;
            Some(group.remove(index))
        });
        let name = path.last().cloned().unwrap_or_default();
        return found.ok_or(EditError::Unsupported { name, why: "its braces were not found" });
    }
    let key = site.leaf.and_then(|(key, _)| key.span()).map_or(value.start, |span| span.start);
    let begin = text::line_start(text, key);
    let rest = text::skip_blanks(text, value.end);
    Ok(vec![match text::newline_at(text, rest) {
        Some(len) => Splice::cut(begin..rest + len),
        None if rest == text.len() => Splice::cut(text::newline_before(text, begin)..rest),
        // A comment follows; it is not ours.
        None => Splice::cut(text::skip_blanks(text, begin)..rest),
    }])
}

/// The braces of an inline table, its members in the order of the text. A dotted key is one member.
fn group<'t>(text: &'t str, table: &InlineTable) -> Option<Group<'t>> {
    let span = table.span()?;
    let mut values = Vec::new();
    leaves(table, &mut values);
    values.sort_by_key(|(_, value)| value.start);
    let mut at = span.start + 1;
    let mut members = Vec::new();
    for (_, value) in values {
        at = text::skip_trivia(text, at, Comments::Hash);
        if text[at..].starts_with(',') {
            at = text::skip_trivia(text, at + 1, Comments::Hash);
        }
        members.push(at..value.end);
        at = value.end;
    }
    let airy = true;
    let unit = "  ";
    Some(Group {
        text,
        comments: Comments::Hash,
        open: span.start + 1,
        close: span.end - 1,
        members,
        airy,
        unit,
        spreads: false,
    })
}

/// Key and value places of everything that is written as `key = value` in a table; tables with headers are others.
fn leaves(table: &dyn TableLike, into: &mut Vec<(Range<usize>, Range<usize>)>) {
    for (name, item) in table.iter() {
        match item {
            Item::Value(TomlValue::InlineTable(inner)) if inner.is_dotted() => leaves(inner, into),
            Item::Value(value) => {
                let key = table.key(name).and_then(Key::span);
                into.extend(key.zip(value.span()));
            }
            Item::Table(inner) if inner.is_dotted() => leaves(inner, into),
            Item::Table(_) | Item::ArrayOfTables(_) | Item::None => {}
        }
    }
}

fn own_leaves(table: &dyn TableLike) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    leaves(table, &mut found);
    found
}

/// Where the table's first own key begins.
fn first_key(table: &dyn TableLike) -> Option<usize> {
    own_leaves(table).iter().map(|(key, _)| key.start).min()
}

/// Where the table's last own value ends.
fn own_extent(table: &dyn TableLike) -> usize {
    own_leaves(table).iter().map(|(_, value)| value.end).max().unwrap_or(0)
}

/// Where the last thing in the table ends, tables below it included.
fn extent(table: &Table) -> usize {
    let header = table.span().filter(|_| !table.is_implicit()).map_or(0, |span| span.end);
    let below = table.iter().map(|(_, item)| match item {
        Item::Table(inner) => extent(inner),
        Item::ArrayOfTables(inner) => inner.iter().map(extent).max().unwrap_or(0),
        Item::Value(_) | Item::None => 0,
    });
    below.max().unwrap_or(0).max(own_extent(table)).max(header)
}

/// The equals sign with the blanks around it, as the table's first key has it.
fn equals(text: &str, table: Node<'_>) -> &'static str {
    let first = own_leaves(table.like()).into_iter().min_by_key(|(key, _)| key.start);
    let tight = first.is_some_and(|(key, value)| {
        let between = &text[key.end..value.start];
        between.ends_with('=') && between.starts_with('=')
    });
    if tight { "=" } else { " = " }
}

fn key_text(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { string_text(key) }
}

/// A basic string. JSON's escapes are TOML's too, except that TOML wants DEL escaped.
fn string_text(text: &str) -> String {
    quoted(text).replace('\u{7f}', "\\u007f")
}

/// Writes a value in one line. TOML has no null; it becomes an empty string, which the proof refuses.
fn render(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string_text(text),
        Value::Array(items) => format!("[{}]", items.iter().map(render).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().map(|(key, value)| format!("{} = {}", key_text(key), render(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}
