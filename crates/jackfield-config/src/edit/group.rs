//! Inserting into and removing from something in brackets: an object, an array, an inline table.

use std::ops::Range;

use serde_json::Value;

use super::structural::ItemOp;
use super::text::{
    Comments, Splice, Trivia, blanks_before, eol, indent_of, line_start, newline_at, newline_before,
    skip_blanks, skip_trivia, trivia,
};

/// A pair of brackets and what stands in them.
#[derive(Debug)]
pub(super) struct Group<'t> {
    pub(super) text: &'t str,
    pub(super) comments: Comments,
    /// Just behind the opening bracket.
    pub(super) open: usize,
    /// The closing bracket.
    pub(super) close: usize,
    /// From the first byte of a key (or element) to the last of its value.
    pub(super) members: Vec<Range<usize>>,
    /// A blank follows a comma, where nothing in the group says otherwise.
    pub(super) airy: bool,
    /// What one level of indentation is in this file.
    pub(super) unit: &'t str,
    /// Where nothing is in it, it is written `{}`, and its members have lines of their own.
    pub(super) spreads: bool,
}

/// Writes a member; gets the indentation of its line, or nothing if it goes into a line with others.
pub(super) type Render<'r> = &'r dyn Fn(Option<&str>) -> String;

impl Group<'_> {
    /// The first line end before the first member, outside of comments: the group has lines of its own then.
    fn first_newline(&self) -> Option<Range<usize>> {
        let pieces = trivia(self.text, self.open, self.comments);
        pieces.into_iter().find(|(piece, _)| *piece == Trivia::Newline).map(|(_, range)| range)
    }

    /// The comma behind a member.
    fn comma_after(&self, index: usize) -> Option<usize> {
        let at = skip_trivia(self.text, self.members[index].end, self.comments);
        self.text[at..].starts_with(',').then_some(at)
    }

    fn indent(&self) -> String {
        match self.members.first() {
            Some(first) => indent_of(self.text, first.start).to_owned(),
            None => format!("{}{}", indent_of(self.text, self.open), self.unit),
        }
    }

    /// Whether the only member has lines of its own and no comment beside it.
    fn is_bare(&self, member: &Range<usize>, comma: Option<usize>) -> bool {
        let behind = comma.map_or(member.end, |comma| comma + 1);
        let around = [self.open..member.start, member.end..comma.unwrap_or(member.end), behind..self.close];
        self.first_newline().is_some() && around.into_iter().all(|range| is_blank(&self.text[range]))
    }

    /// What stands behind a comma within a line.
    fn gap(&self) -> &'static str {
        let airy = match self.comma_of_first() {
            Some(comma) => self.text[comma + 1..].starts_with(char::is_whitespace),
            None => self.airy,
        };
        if airy { " " } else { "" }
    }

    /// The comma between the first two members.
    fn comma_of_first(&self) -> Option<usize> {
        if self.members.len() < 2 { None } else { self.comma_after(0) }
    }

    /// Puts a new member before all others.
    pub(super) fn insert_first(&self, render: Render<'_>) -> Vec<Splice> {
        if let Some(newline) = self.first_newline() {
            let indent = self.indent();
            let comma = if self.members.is_empty() { "" } else { "," };
            let line = format!("{indent}{}{comma}{}", render(Some(&indent)), &self.text[newline.clone()]);
            return vec![Splice::insert(newline.end, line)];
        }
        if self.spreads && self.open == self.close {
            let (eol, indent) = (eol(self.text), self.indent());
            let member = render(Some(&indent));
            let outer = indent_of(self.text, self.open);
            return vec![Splice::insert(self.open, format!("{eol}{indent}{member}{eol}{outer}"))];
        }
        if self.members.is_empty() {
            let inner = &self.text[self.open..skip_blanks(self.text, self.open)];
            return vec![Splice::insert(self.open, format!("{inner}{}", render(None)))];
        }
        self.insert_inline(skip_blanks(self.text, self.open), render)
    }

    /// Puts a new member at a place within a line, before another.
    pub(super) fn insert_inline(&self, at: usize, render: Render<'_>) -> Vec<Splice> {
        vec![Splice::insert(at, format!("{},{}", render(None), self.gap()))]
    }

    /// Puts a new member behind all others. A comment that stands in the line of the last one stays with it.
    pub(super) fn insert_last(&self, render: Render<'_>) -> Vec<Splice> {
        match self.members.len() {
            0 => self.insert_first(render),
            count => self.insert_after(count - 1, render),
        }
    }

    /// Puts a new member at a place among the others.
    pub(super) fn insert_at(&self, index: usize, render: Render<'_>) -> Vec<Splice> {
        match index.min(self.members.len()) {
            0 => self.insert_first(render),
            index => self.insert_after(index - 1, render),
        }
    }

    fn insert_after(&self, index: usize, render: Render<'_>) -> Vec<Splice> {
        let last = &self.members[index];
        let comma = self.comma_after(index);
        let (lead, trail) = if comma.is_some() { ("", ",") } else { (",", "") };
        let tail = comma.map_or(last.end, |comma| comma + 1);
        // Where the bracket closes in the line of the last one, the new one goes into that line, too.
        let closes =
            !trivia(self.text, tail, self.comments).iter().any(|(piece, _)| *piece == Trivia::Newline);
        if self.first_newline().is_none() || closes {
            return vec![Splice::insert(tail, format!("{lead}{}{}{trail}", self.gap(), render(None)))];
        }
        let (mut at, mut line_end) = (tail, eol(self.text));
        for (piece, range) in trivia(self.text, tail, self.comments) {
            match piece {
                Trivia::Blank => {}
                Trivia::Comment { lines: false } => at = range.end,
                Trivia::Comment { lines: true } => break,
                Trivia::Newline => {
                    // Blanks at the end of the line stay where they are.
                    at = range.start;
                    line_end = if range.len() == 2 { "\r\n" } else { "\n" };
                    break;
                }
            }
        }
        let indent = self.indent();
        let mut splices = Vec::new();
        if comma.is_none() {
            splices.push(Splice::insert(last.end, ","));
        }
        splices.push(Splice::insert(at, format!("{line_end}{indent}{}{trail}", render(Some(&indent)))));
        splices
    }

    /// What is done to one of several values, and where the value stands. `write` gets what [`Render`] gets.
    pub(super) fn item(
        &self,
        op: &ItemOp,
        write: &dyn Fn(&Value, Option<&str>) -> String,
    ) -> (Vec<Splice>, Option<Range<usize>>) {
        match op {
            ItemOp::Replace(index, value) => {
                let Some(range) = self.members.get(*index).cloned() else { return (Vec::new(), None) };
                // In lines of its own if the old one was, or if the group is.
                let lines = self.first_newline().is_some() || self.text[range.clone()].contains('\n');
                let indent = lines.then(|| indent_of(self.text, range.start));
                (vec![Splice::replace(range.clone(), write(value, indent))], Some(range))
            }
            ItemOp::Insert(index, value) => (self.insert_at(*index, &|indent| write(value, indent)), None),
            ItemOp::Remove(index) => match self.members.get(*index).cloned() {
                Some(range) => (self.remove(*index), Some(range)),
                None => (Vec::new(), None),
            },
        }
    }

    /// Takes a member out with its comma, and with its line if it has one to itself. Comments stay.
    pub(super) fn remove(&self, index: usize) -> Vec<Splice> {
        let text = self.text;
        let member = self.members[index].clone();
        let comma = self.comma_after(index);
        if self.spreads && self.members.len() == 1 && self.is_bare(&member, comma) {
            return vec![Splice::cut(self.open..self.close)];
        }
        let begin = line_start(text, member.start);
        let own_line = is_blank(&text[begin..member.start]);
        let mut splices = Vec::new();
        // Of the last member it is the comma before it that has to go.
        let last = index + 1 == self.members.len();
        let earlier = if last && index > 0 { self.comma_after(index - 1) } else { None };
        let glued = earlier.filter(|earlier| is_blank(&text[earlier + 1..member.start]));
        let end = match comma {
            Some(comma) if is_blank(&text[member.end..comma]) => comma + 1,
            Some(comma) => {
                splices.push(Splice::cut(comma..comma + 1));
                member.end
            }
            None => member.end,
        };
        let rest = skip_blanks(text, end);
        if let (true, Some(len)) = (own_line, newline_at(text, rest)) {
            splices.push(Splice::cut(begin..rest + len));
        } else if own_line && rest == self.close && comma.is_none() {
            // The bracket moves up, unless a comment would swallow it.
            let from = index.checked_sub(1).map_or(self.open, |before| self.members[before].end);
            let from = skip_comma(text, from, self.comments);
            let swallowed = trivia(text, from, self.comments)
                .into_iter()
                .rfind(|(piece, range)| matches!(piece, Trivia::Comment { .. }) && range.end <= begin)
                .is_some_and(|(_, range)| self.comments == Comments::Hash || !text[range].ends_with("*/"));
            splices.push(Splice::cut(if swallowed { begin } else { newline_before(text, begin) }..end));
        } else if let (Some(earlier), Some(_)) = (glued, comma) {
            splices.push(Splice::cut(earlier + 1..end));
        } else if comma.is_some() {
            splices
                .push(Splice::cut(member.start..if newline_at(text, rest).is_some() { end } else { rest }));
        } else if let Some(earlier) = glued {
            return vec![Splice::cut(earlier..end)];
        } else {
            splices.push(Splice::cut(blanks_before(text, member.start)..end));
        }
        if comma.is_none() {
            splices.extend(earlier.map(|comma| Splice::cut(comma..comma + 1)));
        }
        splices
    }
}

/// Behind the comma that follows, if one does.
fn skip_comma(text: &str, at: usize, comments: Comments) -> usize {
    let comma = skip_trivia(text, at, comments);
    if text[comma..].starts_with(',') { comma + 1 } else { at }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
