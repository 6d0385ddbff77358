//! Edits one key of a configuration file and leaves every other byte as it is.
//!
//! Text in, text out. An edit is a handful of byte splices at positions that the parser reports; nothing is ever
//! re-serialised. Before the result is handed out it is proved: both texts are parsed to plain values, the change is
//! applied to the old value by a model that knows nothing of text, and the two answers have to be equal; and no
//! comment may be lost. What cannot be proved is refused, so a mistake in here costs an edit, never a file.
//!
//! Not here: reading and writing the file, its encoding and byte order mark (the engine's `writer`).

mod group;
mod json;
mod plain;
pub mod plan;
mod rewrite;
mod structural;
mod text;
pub mod toggle;
mod toml;
mod yaml;

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::Value;

pub use rewrite::{Rewrite, rewrite};

use crate::diagnostic::Position;
use crate::host::Format;

/// Which key an edit is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The keys that lead to the object that is edited. Where one of them is written twice, the last occurrence is
    /// in effect and is followed; the earlier text stays.
    pub root: Vec<String>,
    /// The keys from there to the one that is edited. If one of these is written twice, the edit is refused: we
    /// could not say what the user meant.
    pub keys: Vec<String>,
    /// The root is a list of entries that carry their names in a field `name` (Continue, Vibe): where a path meets a
    /// list, a key is the entry of that name.
    pub list: bool,
}

/// Where a new key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    First,
    Last,
}

/// What happens if an object on the way to the key is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Refuse,
    Create,
    /// As `Create`, and the key itself must not be there: what somebody has written meanwhile is not overwritten, nor
    /// what stands there without being a server.
    New,
}

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Sets one key. If it is there only the bytes of its value change; of an object over an object, and of a list over
    /// a list, only those of what differs: new members go last, items that both lists begin or end with stay.
    Set { target: Target, value: Value, place: Place, missing: Missing },
    /// Removes one key with its comma or line.
    Remove { target: Target },
    /// Gives one key another name, in its place.
    Rename { target: Target, to: String },
    /// Appends a string to a list, which is made if it is not there.
    ListAdd { target: Target, item: String },
    /// Removes a string from a list. If that empties it and `prune` names the topmost key that an earlier
    /// [`ListAdd`](Change::ListAdd) made, that key goes too, so that the original bytes return.
    ListRemove { target: Target, item: String, prune: Option<Vec<String>> },
}

impl Target {
    /// A key of the entry `name` below `root`.
    pub fn field(root: &[String], name: &str, key: &str) -> Target {
        Target { root: root.to_vec(), keys: vec![name.to_owned(), key.to_owned()], list: false }
    }

    /// The last key of `path`, its parents being the root.
    pub fn leaf(path: &[String]) -> Target {
        match path.split_last() {
            Some((last, root)) => Target { root: root.to_vec(), keys: vec![last.clone()], list: false },
            None => Target { root: Vec::new(), keys: Vec::new(), list: false },
        }
    }

    /// Root and keys in one path.
    pub fn path(&self) -> Vec<String> {
        self.root.iter().chain(&self.keys).cloned().collect()
    }
}

impl Change {
    /// Sets the switch `key` of the entry `name`; a missing one becomes the entry's first member.
    pub fn set_flag(root: &[String], name: &str, key: &str, value: bool) -> Change {
        let target = Target::field(root, name, key);
        Change::Set { target, value: Value::Bool(value), place: Place::First, missing: Missing::Refuse }
    }

    /// Takes out a switch that [`Change::set_flag`] inserted, so that the original bytes return.
    pub fn remove_flag(root: &[String], name: &str, key: &str) -> Change {
        Change::Remove { target: Target::field(root, name, key) }
    }

    /// Adds `item` to the list of strings at `path`.
    pub fn list_add(path: &[String], item: &str) -> Change {
        Change::ListAdd { target: Target::leaf(path), item: item.to_owned() }
    }

    /// Removes `item` from the list of strings at `path`.
    pub fn list_remove(path: &[String], item: &str) -> Change {
        Change::ListRemove { target: Target::leaf(path), item: item.to_owned(), prune: None }
    }

    /// The same change where the root is a list of named entries.
    #[must_use]
    pub fn in_list(mut self, list: bool) -> Change {
        match &mut self {
            Change::Set { target, .. }
            | Change::Remove { target }
            | Change::Rename { target, .. }
            | Change::ListAdd { target, .. }
            | Change::ListRemove { target, .. } => target.list = list,
        }
        self
    }

    /// What is edited.
    pub fn target(&self) -> &Target {
        match self {
            Change::Set { target, .. }
            | Change::Remove { target }
            | Change::Rename { target, .. }
            | Change::ListAdd { target, .. }
            | Change::ListRemove { target, .. } => target,
        }
    }
}

/// The outcome of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    /// The key was not there before.
    pub inserted: bool,
    /// The path of the topmost key the edit made, where it made one.
    pub created: Option<Vec<String>>,
}

/// The outcome of several changes.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedAll {
    pub text: String,
    /// Those that changed something.
    pub steps: Vec<(Change, Step)>,
}

/// What one of several changes did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub inserted: bool,
    pub created: Option<Vec<String>>,
}

/// Why a text is not edited. The text stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("{message} at line {}, column {}", .position.line, .position.column)]
    Syntax { message: String, position: Position },
    #[error("`{name}` is not there")]
    NotFound { name: String },
    #[error("`{name}` is {found}, not {wanted}, at line {}, column {}", .position.line, .position.column)]
    Shape { name: String, found: &'static str, wanted: &'static str, position: Position },
    #[error("`{name}` is there already, at line {}, column {}", .position.line, .position.column)]
    Exists { name: String, position: Position },
    #[error("`{name}` is written twice, again at line {}, column {}", .position.line, .position.column)]
    Duplicated { name: String, position: Position },
    #[error("there is nothing to change")]
    Already,
    #[error("`{name}` is written in a way that can only be edited by hand: {why}")]
    Unsupported { name: String, why: &'static str },
    #[error("the change to `{name}` could not be proved to leave everything else as it is")]
    Unproven { name: String },
}

impl EditError {
    /// The place in the text, where the error has one.
    pub fn position(&self) -> Option<Position> {
        match self {
            EditError::Syntax { position, .. }
            | EditError::Shape { position, .. }
            | EditError::Exists { position, .. }
            | EditError::Duplicated { position, .. } => Some(*position),
            EditError::NotFound { .. }
            | EditError::Already
            | EditError::Unsupported { .. }
            | EditError::Unproven { .. } => None,
        }
    }
}

/// What a format's editor hands back: where to cut and what to put there.
struct Draft {
    /// What the splices are based on: the text itself, but for an empty file.
    base: String,
    splices: Vec<text::Splice>,
    inserted: bool,
    created: Option<Vec<String>>,
}

/// Applies `change` to `text`, which stands without a byte order mark.
pub fn apply(text: &str, format: Format, change: &Change) -> Result<Edited, EditError> {
    if let Change::Set { target, missing: Missing::New, .. } = change {
        refuse_existing(text, format, change, target)?;
    }
    match structural::apply(text, format, change) {
        Some(edited) => edited,
        None => one(text, format, change),
    }
}

/// Applies a change that is one edit.
fn one(text: &str, format: Format, change: &Change) -> Result<Edited, EditError> {
    let draft = match format {
        Format::Json { .. } => json::draft(text, change)?,
        Format::Toml => toml::draft(text, change)?,
        Format::Yaml => yaml::draft(text, change)?,
        Format::Script => return Err(script(change.target())),
    };
    let edited = text::splice(&draft.base, &draft.splices).ok_or_else(|| unproven(change))?;
    // A key that is removed, or a value that is replaced, may take its own comments along; no other may go.
    let own = match format {
        Format::Json { .. } => json::own_range(&draft.base, change),
        Format::Toml => toml::own_range(&draft.base, change),
        Format::Yaml => yaml::own_range(&draft.base, change),
        Format::Script => None,
    };
    prove_with(&draft.base, &edited, format, change, own, |root| plain::apply(root, change, None))?;
    if edited == text {
        return Err(EditError::Already);
    }
    Ok(Edited { text: edited, inserted: draft.inserted, created: draft.created })
}

fn refuse_existing(text: &str, format: Format, change: &Change, target: &Target) -> Result<(), EditError> {
    let (plain, range) = match format {
        Format::Json { .. } => (json::plain(text)?, json::own_range(text, change)),
        Format::Toml => (toml::plain(text)?, toml::own_range(text, change)),
        Format::Yaml => (yaml::plain(text)?, yaml::own_range(text, change)),
        Format::Script => return Err(script(target)),
    };
    if !plain::has(plain, &target.path()) {
        return Ok(());
    }
    let name = target.keys.last().cloned().unwrap_or_default();
    Err(EditError::Exists { name, position: text::position(text, range.map_or(0, |range| range.start)) })
}

/// Applies several changes, one on what the other left. Those that find nothing to change are passed over.
///
/// # Errors
/// The first that is not possible; or [`EditError::Already`], if none had anything to change.
pub fn apply_all(text: &str, format: Format, changes: &[Change]) -> Result<EditedAll, EditError> {
    let mut sum: Option<EditedAll> = None;
    for change in changes {
        let before = sum.as_ref().map_or(text, |edited| edited.text.as_str());
        match apply(before, format, change) {
            Ok(Edited { text, inserted, created }) => {
                let mut steps = sum.map_or_else(Vec::new, |sum| sum.steps);
                steps.push((change.clone(), Step { inserted, created }));
                sum = Some(EditedAll { text, steps });
            }
            Err(EditError::Already) => {}
            Err(error) => return Err(error),
        }
    }
    sum.filter(|edited| edited.text != text).ok_or(EditError::Already)
}

/// Whether nothing stands below a key but empty objects and lists. Not so if the key is not there.
pub fn is_hollow(text: &str, format: Format, path: &[String]) -> bool {
    let parsed = match format {
        Format::Json { .. } => json::plain(text),
        Format::Toml => toml::plain(text),
        Format::Yaml => yaml::plain(text),
        Format::Script => return false,
    };
    parsed.is_ok_and(|mut root| plain::is_hollow(&mut root, path))
}

/// The white space between the brackets of an object with nothing in it; nothing where there is more, or no object.
/// JSON only: elsewhere nothing empty is left.
pub fn blank<'t>(text: &'t str, format: Format, path: &[String]) -> Option<&'t str> {
    match format {
        Format::Json { .. } => json::blank(text, path).map(|range| &text[range]),
        Format::Toml | Format::Yaml | Format::Script => None,
    }
}

/// Puts other white space there, so that the original bytes return.
pub fn with_blank(text: &str, format: Format, path: &[String], blank: &str) -> Option<String> {
    let Format::Json { .. } = format else { return None };
    let range = json::blank(text, path)?;
    blank.trim().is_empty().then(|| text::splice(text, &[text::Splice::replace(range, blank)]))?
}

/// Whether a text says nothing but what another one said, less what was taken out below these keys.
pub fn is_remainder(text: &str, of: &str, format: Format, roots: &[Vec<String>]) -> bool {
    let (Ok(now), Ok(good)) = (values(text, format), values(of, format)) else { return false };
    let roots: Vec<&[String]> = roots.iter().map(Vec::as_slice).collect();
    plain::is_remainder(&now, &good, &roots)
}

/// Whether a text parses, and is something that can hold servers.
///
/// # Errors
/// If not, with the place.
pub fn check(text: &str, format: Format) -> Result<(), EditError> {
    values(text, format).map(drop)
}

/// What a text says.
fn values(text: &str, format: Format) -> Result<plain::Plain, EditError> {
    match format {
        Format::Json { .. } => json::plain(text),
        Format::Toml => toml::plain(text),
        Format::Yaml => yaml::plain(text),
        Format::Script => Err(script(&Target { root: Vec::new(), keys: Vec::new(), list: false })),
    }
}

/// The splices for what is done to an item of a list, and the bytes of the item.
fn draft_item(
    text: &str,
    format: Format,
    target: &Target,
    op: &structural::ItemOp,
) -> Result<(Vec<text::Splice>, Option<Range<usize>>), EditError> {
    match format {
        Format::Json { .. } => json::item(text, target, op),
        Format::Toml => toml::item(text, target, op),
        Format::Yaml => yaml::item(text, target, op),
        Format::Script => Err(script(target)),
    }
}

/// Parses both texts and checks that what the model does is all that differs, and that no comment outside of `own` is
/// lost.
fn prove_with(
    before: &str,
    after: &str,
    format: Format,
    change: &Change,
    own: Option<Range<usize>>,
    model: impl FnOnce(&mut plain::Plain) -> Option<()>,
) -> Result<(), EditError> {
    prove_values(before, after, format, change, model)?;
    let comments = |text: &str| match format {
        Format::Json { .. } => json::unseen(text),
        Format::Toml => toml::comments(text),
        Format::Yaml => yaml::comments(text),
        Format::Script => Vec::new(),
    };
    let outside = |range: &Range<usize>| {
        !own.as_ref().is_some_and(|own| own.start <= range.start && range.end <= own.end)
    };
    let texts = |comment: &(Range<usize>, String)| comment.1.clone();
    let (old, new) = (comments(before), comments(after));
    let new: Vec<String> = new.iter().map(texts).collect();
    let kept = old.iter().map(texts).eq(new.iter().cloned())
        || old.iter().filter(|(range, _)| outside(range)).map(texts).eq(new);
    if kept { Ok(()) } else { Err(unproven(change)) }
}

/// Parses both texts and checks that what the model does is all that differs.
fn prove_values(
    before: &str,
    after: &str,
    format: Format,
    change: &Change,
    model: impl FnOnce(&mut plain::Plain) -> Option<()>,
) -> Result<(), EditError> {
    let (mut wanted, mut got) =
        (values(before, format)?, values(after, format).map_err(|_| unproven(change))?);
    model(&mut wanted).ok_or_else(|| unproven(change))?;
    match format {
        Format::Json { .. } | Format::Script => {}
        // Their tables have no order that means anything, and new keys go where the text allows it.
        Format::Toml | Format::Yaml => {
            if format == Format::Toml {
                wanted.drop_empty();
                got.drop_empty();
            }
            wanted.sort();
            got.sort();
        }
    }
    if wanted == got { Ok(()) } else { Err(unproven(change)) }
}

fn script(target: &Target) -> EditError {
    EditError::Unsupported { name: target.keys.join("."), why: "the file is a script" }
}

fn unproven(change: &Change) -> EditError {
    EditError::Unproven { name: change.target().keys.join(".") }
}

/// The words of the parsers begin with a capital; ours stand in the middle of a sentence.
fn uncapitalized(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// JSON's spelling of a string, which is also TOML's.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
