//! What is done to one item of a YAML list, in lines of its own or between brackets.

use std::ops::Range;

use serde_json::Value;

use super::{Editor, by_hand, has_anchor};
use crate::edit::EditError;
use crate::edit::group::Group;
use crate::edit::structural::ItemOp;
use crate::edit::text::{Comments, Splice};
use crate::edit::yaml::write::{flow, single};
use crate::format::yaml::tree::{Item, What};

type Steps = (Vec<Splice>, Option<Range<usize>>);

impl Editor<'_> {
    /// The splices, and where the item stands.
    pub(super) fn item(&self, list: &Item, name: &str, op: &ItemOp) -> Result<Steps, EditError> {
        if list.anchored() {
            return Err(by_hand(name, "it has an anchor that others may use"));
        }
        let What::List { items, flow } = &list.what else { return Err(self.shape(list, name, "a list")) };
        let touched = match op {
            ItemOp::Replace(index, _) | ItemOp::Remove(index) => items.get(*index),
            ItemOp::Insert(..) => None,
        };
        if touched.is_some_and(has_anchor) {
            return Err(by_hand(name, "an item of it has an anchor that others may use"));
        }
        if *flow {
            return self.between_brackets(list, items, name, op);
        }
        let lines = |item: &Item| {
            let begin = self.line_of(item.span.start);
            let alone = self.text[begin..item.span.start].trim() == "-";
            alone.then(|| self.lines(begin, self.end_of(item))).ok_or_else(|| by_hand(name, ODD))
        };
        match (op, touched) {
            (ItemOp::Insert(index, value), _) => {
                let first = items.first().ok_or_else(|| by_hand(name, "it is empty"))?;
                let own = lines(first)?;
                let block = self.list_item(value, self.dash(first.span.start));
                let splice = match index.checked_sub(1).and_then(|before| items.get(before)) {
                    Some(before) => self.line_after(self.end_of(before), &block),
                    None => Splice::insert(own.start, format!("{block}{}", self.eol)),
                };
                Ok((vec![splice], None))
            }
            (ItemOp::Remove(_), Some(item)) => {
                let own = lines(item)?;
                if items.len() > 1 {
                    return Ok((vec![Splice::cut(own.clone())], Some(own)));
                }
                // A key with nothing below it would say null.
                let at = self.before_comments(own.start);
                Ok((vec![Splice::insert(at, " []"), Splice::cut(own.clone())], Some(own)))
            }
            (ItemOp::Replace(_, value), Some(item)) => {
                let own = lines(item)?;
                let range = item.span.start..self.end_of(item).max(item.span.end);
                let block = self.list_item(value, self.dash(item.span.start));
                let block = block.trim_start().trim_start_matches('-').trim_start();
                Ok((vec![Splice::replace(range, block)], Some(own)))
            }
            (ItemOp::Remove(_) | ItemOp::Replace(..), None) => {
                Err(EditError::NotFound { name: name.to_owned() })
            }
        }
    }

    fn between_brackets(
        &self,
        list: &Item,
        items: &[Item],
        name: &str,
        op: &ItemOp,
    ) -> Result<Steps, EditError> {
        let written = self.text.get(list.span.clone()).unwrap_or_default();
        if written.len() < 2 || !written.starts_with('[') || !written.ends_with(']') {
            return Err(by_hand(name, ODD));
        }
        let group = Group {
            text: self.text,
            comments: Comments::Hash,
            open: list.span.start + 1,
            close: list.span.end - 1,
            members: items.iter().map(|item| item.span.clone()).collect(),
            airy: true,
            unit: "  ",
            spreads: false,
        };
        Ok(group.item(op, &|value: &Value, _| flow(value)))
    }

    fn list_item(&self, value: &Value, indent: usize) -> String {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.value_block(&Value::Array(vec![value.clone()]), indent)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => format!("{}- {}", " ".repeat(indent), single(value)),
        }
    }
}

const ODD: &str = "it is laid out in a way that only a person should touch";
