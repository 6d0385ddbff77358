//! A YAML text with the place of everything in it, aliases not followed: what the editor works on.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::super::{MAX_DEPTH, Span, SyntaxError};

/// A parsed text: its first document.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Option<Item>,
    /// By the parser's number.
    pub(crate) anchors: HashMap<usize, Item>,
    /// The anchors that an alias names.
    aliased: HashSet<usize>,
}

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) what: What,
    pub(crate) span: Span,
    /// The parser's number of its anchor; zero if it has none.
    anchor: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Scalar { text: String, plain: bool },
    List { items: Vec<Item>, flow: bool },
    Map { pairs: Vec<(Item, Item)>, flow: bool },
    Alias(usize),
}

impl Item {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.what {
            What::Scalar { text, .. } => Some(text),
            What::List { .. } | What::Map { .. } | What::Alias(_) => None,
        }
    }

    pub(crate) fn anchored(&self) -> bool {
        self.anchor > 0
    }

    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.what, What::Scalar { plain: true, .. })
    }

    /// Nothing is written, as behind `key:`.
    pub(crate) fn is_empty(&self) -> bool {
        self.span.is_empty()
    }
}

impl Tree {
    /// An alias elsewhere stands for this item.
    pub(crate) fn is_shared(&self, item: &Item) -> bool {
        self.aliased.contains(&item.anchor)
    }

    pub(crate) fn parse(text: &str) -> Result<Tree, SyntaxError> {
        let offsets = Offsets::new(text);
        let failed = |message: &str, at: usize| SyntaxError {
            message: message.to_owned(),
            hint: String::new(),
            at: at.min(text.len()),
        };
        let mut builder = Builder { text, anchors: HashMap::new(), open: Vec::new(), root: None };
        let mut aliased = HashSet::new();
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                let at = offsets.byte(error.marker().index());
                failed(error.info(), at)
            })?;
            let span = offsets.byte(span.start.index())..offsets.byte(span.end.index());
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(failed("there is more than one document in the file", span.start));
                    }
                }
                Event::Alias(id) => {
                    aliased.insert(id);
                    builder.leaf(What::Alias(id), span, 0);
                }
                Event::Scalar(value, style, anchor, _) => {
                    let plain = style == ScalarStyle::Plain;
                    let span = match style {
                        ScalarStyle::Literal | ScalarStyle::Folded => builder.block_scalar(span),
                        // The parser counts the comment behind a quote in.
                        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                            let end = closing_quote(text, span.start).filter(|end| *end <= span.end);
                            span.start..end.unwrap_or(span.end)
                        }
                        ScalarStyle::Plain => span,
                    };
                    let end = span.start + text[span.clone()].trim_end().len();
                    builder.leaf(What::Scalar { text: value.into_owned(), plain }, span.start..end, anchor);
                }
                Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                    if builder.open.len() > MAX_DEPTH {
                        return Err(failed("too deep", span.start));
                    }
                    let map = matches!(event, Event::MappingStart(..));
                    builder.open.push(Open { map, start: span.start, anchor, items: Vec::new() });
                }
                Event::SequenceEnd | Event::MappingEnd => builder.close(span.end),
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        Ok(Tree { root: builder.root, anchors: builder.anchors, aliased })
    }
}

struct Open {
    map: bool,
    start: usize,
    anchor: usize,
    items: Vec<Item>,
}

struct Builder<'t> {
    text: &'t str,
    anchors: HashMap<usize, Item>,
    open: Vec<Open>,
    root: Option<Item>,
}

impl Builder<'_> {
    fn leaf(&mut self, what: What, mut span: Span, anchor: usize) {
        // Behind `key:` nothing is written; the parser says some place further on.
        if let (What::Scalar { text, plain: true }, Some(open)) = (&what, self.open.last())
            && text.is_empty()
            && span.is_empty()
            && open.map
            && open.items.len() % 2 == 1
            && let Some(key) = open.items.last()
            && let Some(rest) = self.text[key.span.end..].trim_start().strip_prefix(':')
        {
            let at = self.text.len() - rest.len();
            span = at..at;
        }
        self.add(Item { what, span, anchor }, anchor);
    }

    /// From the sign that begins a block of text; the parser gives the text alone.
    fn block_scalar(&self, span: Span) -> Span {
        let before =
            self.open.last().map_or(0, |open| open.items.last().map_or(open.start, |item| item.span.end));
        let sign = self.text.get(before..span.start).and_then(|between| {
            let mut comment = false;
            between.char_indices().find(|(_, c)| {
                comment = *c == '#' || (comment && *c != '\n');
                matches!(c, '|' | '>') && !comment
            })
        });
        match sign {
            Some((offset, _)) => {
                let start = before + offset;
                let len = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
                let text = self.text[span.clone()].trim_end();
                start..if text.is_empty() { start + len } else { span.start + text.len() }
            }
            None => span,
        }
    }

    fn close(&mut self, end: usize) {
        let Some(Open { map, start, anchor, items }) = self.open.pop() else { return };
        let flow = self.text[start..].starts_with(['[', '{']);
        let span = if flow {
            // The parser counts the comment behind the bracket in.
            let inner = items.iter().map(|item| item.span.end).filter(|inner| *inner < end).max();
            start..closing_bracket(self.text, inner.unwrap_or(start).max(start + 1)).unwrap_or(end).min(end)
        } else {
            let first = items.first().map_or(start, |item| item.span.start);
            let last = items.last().map_or(start, |item| item.span.end);
            first..last.max(first)
        };
        let what = if map {
            let mut pairs = Vec::with_capacity(items.len() / 2);
            let mut items = items.into_iter();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                pairs.push((key, value));
            }
            What::Map { pairs, flow }
        } else {
            What::List { items, flow }
        };
        self.add(Item { what, span, anchor }, anchor);
    }

    fn add(&mut self, item: Item, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, item.clone());
        }
        match self.open.last_mut() {
            Some(open) => open.items.push(item),
            None if self.root.is_none() => self.root = Some(item),
            None => {}
        }
    }
}

/// Behind the quote that closes the string which begins at `at`, its tag and anchor passed over.
fn closing_quote(text: &str, mut at: usize) -> Option<usize> {
    while text.get(at..)?.starts_with(['!', '&']) {
        at += text[at..].find(char::is_whitespace)?;
        at += text[at..].find(|c: char| !c.is_whitespace())?;
    }
    let rest = text.get(at..)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((offset, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            // Two single quotes are one in the string.
            if quote == '"' || chars.next_if(|(_, next)| *next == quote).is_none() {
                return Some(at + offset + 1);
            }
        }
    }
    None
}

/// Behind the first closing bracket from `at` on, comments passed over.
fn closing_bracket(text: &str, at: usize) -> Option<usize> {
    let mut comment = false;
    for (offset, c) in text.get(at..)?.char_indices() {
        match c {
            '\n' | '\r' => comment = false,
            '#' => comment = true,
            ']' | '}' if !comment => return Some(at + offset + 1),
            _ => {}
        }
    }
    None
}

/// Places in characters, as the parser counts, to places in bytes.
struct Offsets {
    bytes: Vec<usize>,
    ascii: bool,
    len: usize,
}

impl Offsets {
    fn new(text: &str) -> Offsets {
        let ascii = text.is_ascii();
        let bytes = if ascii { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Offsets { bytes, ascii, len: text.len() }
    }

    fn byte(&self, index: usize) -> usize {
        if self.ascii { index.min(self.len) } else { self.bytes.get(index).copied().unwrap_or(self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the root's keys, as they stand in the text.
    fn written(text: &str) -> Vec<&str> {
        let tree = Tree::parse(text).unwrap();
        let What::Map { pairs, .. } = tree.root.unwrap().what else { panic!("{text}") };
        pairs.into_iter().map(|(_, value)| &text[value.span]).collect()
    }

    #[test]
    fn values_end_where_they_end() {
        for (text, want) in [
            ("é: [x, y] # c, ]\nb: 1 # d\n", &["[x, y]", "1"] as &[&str]),
            ("a: [\n  x, # ]\n  {b: [1]},\n] # c\nb:\nc: ''", &["[\n  x, # ]\n  {b: [1]},\n]", "", "''"]),
            ("a: {} # c\nb: {c, d: }\n", &["{}", "{c, d: }"]),
            ("a: [] # c\nb: x y # z\n", &["[]", "x y"]),
            ("a: | # |\n\n  x # y\n  z\n\n# c\nb: >-\n  x", &["| # |\n\n  x # y\n  z", ">-\n  x"]),
            ("a: !t |\n  x\nb: |\nc: |2\n   y\n", &["!t |\n  x", "|", "|2\n   y"]),
            ("a: !t 'x' # c\nb: &c \"x\" # d\n", &["!t 'x'", "&c \"x\""]),
            ("a: \"\" # c\nb: 'it''s' # d\nc: \"\\\" #\" # e\n", &["\"\"", "'it''s'", "\"\\\" #\""]),
        ] {
            assert_eq!(written(text), want, "{text}");
        }
    }
}
