//! YAML 1.2, as the hosts' own parsers take it: the core schema, aliases, merge keys.

use std::collections::HashMap;

use super::{Kind, MAX_DEPTH, Member, Node, Notice, NoticeKind, Parsed, SyntaxError};

pub(crate) mod tree;

use tree::{Item, Tree, What};

/// More nodes, aliases followed, are refused: a few lines of aliases can stand for billions.
const MAX_NODES: usize = 200_000;

pub(crate) fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    let tree = Tree::parse(text)?;
    let mut reader = Reader { tree: &tree, notices: Vec::new(), nodes: 0 };
    let root = match &tree.root {
        Some(item) => Some(reader.node(item, &mut Vec::new())?).filter(|node| node.kind != Kind::Null),
        None => None,
    };
    Ok(Parsed { root, notices: reader.notices })
}

struct Reader<'t> {
    tree: &'t Tree,
    notices: Vec<Notice>,
    nodes: usize,
}

impl Reader<'_> {
    fn node(&mut self, item: &Item, path: &mut Vec<String>) -> Result<Node, SyntaxError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || path.len() > MAX_DEPTH {
            return Err(SyntaxError {
                message: "too deep or too large".to_owned(),
                hint: "Its aliases stand for more than a configuration can need. Write it out.".to_owned(),
                at: item.span.start,
            });
        }
        let kind = match &item.what {
            What::Scalar { text, plain } => scalar(text, *plain),
            What::Alias(id) => {
                let target = self.tree.anchors.get(id).cloned();
                let node = match target {
                    Some(target) => self.node(&target, path)?,
                    None => Node { kind: Kind::Null, span: item.span.clone() },
                };
                node.kind
            }
            What::List { items, .. } => {
                let mut nodes = Vec::with_capacity(items.len());
                for item in items {
                    path.push(String::new());
                    let node = self.node(item, path);
                    path.pop();
                    nodes.push(node?);
                }
                Kind::Array(nodes)
            }
            What::Map { pairs, .. } => Kind::Object(self.members(pairs, path)?),
        };
        Ok(Node { kind, span: item.span.clone() })
    }

    fn members(
        &mut self,
        pairs: &[(Item, Item)],
        path: &mut Vec<String>,
    ) -> Result<Vec<Member>, SyntaxError> {
        let mut members: Vec<Member> = Vec::with_capacity(pairs.len());
        // Where each key is among them.
        let mut places: HashMap<String, usize> = HashMap::with_capacity(pairs.len());
        let mut merged: Vec<Member> = Vec::new();
        for (key, value) in pairs {
            let name = key.text().unwrap_or_default().to_owned();
            path.push(name.clone());
            let node = self.node(value, path);
            let here = path.clone();
            path.pop();
            let node = node?;
            if name == "<<" && key.is_plain() {
                let maps = match node.kind {
                    Kind::Array(items) => items,
                    _ => vec![node],
                };
                for map in maps {
                    if let Kind::Object(more) = map.kind {
                        merged.extend(more);
                    }
                }
                continue;
            }
            let member = Member { key: name.clone(), key_span: key.span.clone(), value: node };
            match places.get(&name).and_then(|at| members.get_mut(*at)) {
                Some(known) => {
                    self.notices.push(Notice {
                        kind: NoticeKind::Duplicate { path: here, again: key.span.start },
                        at: known.key_span.start,
                    });
                    *known = member;
                }
                None => {
                    places.insert(name, members.len());
                    members.push(member);
                }
            }
        }
        // Own keys win over merged ones, and of those the first.
        for member in merged {
            if !places.contains_key(&member.key) {
                places.insert(member.key.clone(), members.len());
                members.push(member);
            }
        }
        Ok(members)
    }
}

/// What a scalar means in the core schema.
pub(crate) fn scalar(text: &str, plain: bool) -> Kind {
    if !plain {
        return Kind::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        _ if is_number(text) => Kind::Number(text.to_owned()),
        _ => Kind::String(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hex) = digits.strip_prefix("0x") {
        return !hex.is_empty() && hex.chars().all(|c| c.is_ascii_hexdigit());
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return !octal.is_empty() && octal.chars().all(|c| ('0'..='7').contains(&c));
    }
    let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    begins
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c))
        && digits.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Format;

    fn value(text: &str) -> serde_json::Value {
        super::super::parse(text, Format::Yaml)
            .unwrap()
            .root
            .map_or(serde_json::Value::Null, |root| root.to_value())
    }

    #[test]
    fn scalars_lists_maps_aliases_and_merges() {
        let text = "# c\nd: &d {timeout: 300, enabled: true}\nlist:\n- a\n- 'b: c'\n- \"d\\n\"\nx:\n  <<: *d\n  enabled: false\n  n: 1_0\n  y: yes\n  z: 0x1F\n  e:\n  f: ~\ns: |\n  two\n  lines\n";
        assert_eq!(
            value(text),
            serde_json::json!({
                "d": {"timeout": 300, "enabled": true},
                "list": ["a", "b: c", "d\n"],
                "x": {"enabled": false, "n": "1_0", "y": "yes", "z": "0x1F", "e": null, "f": null, "timeout": 300},
                "s": "two\nlines\n"
            })
        );
        assert_eq!(value(""), serde_json::Value::Null);
        assert_eq!(value("# only a comment\n"), serde_json::Value::Null);
    }

    #[test]
    fn own_keys_win_over_merged_ones_and_of_those_the_first() {
        let text = "a: &a {x: 1, y: 1, z: 1}\nb: &b {y: 2, w: 2}\nc:\n  z: 3\n  <<: [*a, *b]\n";
        assert_eq!(value(text)["c"], serde_json::json!({"z": 3, "x": 1, "y": 1, "w": 2}));
        let itself = parse("a: &a\n  b: *a\n").unwrap_err();
        assert_eq!(itself.message, "too deep or too large");
        // Many keys cost no more than their number.
        let many: String = (0..60_000).map(|n| format!("k{n}: 1\n")).collect();
        assert_eq!(value(&many).as_object().unwrap().len(), 60_000);
    }

    #[test]
    fn what_does_not_parse_says_where_and_bombs_end() {
        let error = parse("a: b\n c: d: e\n").unwrap_err();
        assert!(error.at > 0 && error.at < 15, "{error:?}");
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let last = level - 1;
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{last}"); 9].join(", ")));
        }
        assert!(parse(&bomb).is_err());
        for text in [
            "a: *nothing",
            "? a\n: b",
            "- [",
            "\u{feff}a: b",
            "%YAML 1.2\n---\na: b\n...\n",
            "a: b\n---\nc: d",
        ] {
            let _ = parse(text);
        }
    }
}
