//! Reading the fields of one entry, with a finding for each that has the wrong shape.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Spelling, Tolerance, Unit, given, helpers};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::format::{Kind, Lines, Member, Node};
use crate::host::{Dialect, Switch};
use crate::source::SourceSpec;
use crate::validate;
use crate::value::{self, Role, ValueExpr, ValueKind};

/// An entry being read.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) spec: &'a Arc<SourceSpec>,
    pub(crate) spelling: &'static Spelling,
    pub(crate) name: &'a str,
    pub(crate) node: &'a Node,
    /// Where the entry's key stands.
    pub(crate) at: usize,
    /// `None` for an entry that was merged from several files.
    pub(crate) lines: Option<&'a Lines<'a>>,
    pub(crate) home: Option<&'a Path>,
    /// The object within the entry that holds the way to the server, where it is not the entry itself (Cline).
    pub(crate) within: Option<&'static str>,
    pub(crate) problems: Vec<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Fields<'a> {
    /// The same entry, seen from an object within it. What it finds has to be taken back.
    pub(crate) fn inside(outer: &mut Fields<'a>, node: &'a Node) -> Fields<'a> {
        Fields {
            spec: outer.spec,
            spelling: outer.spelling,
            name: outer.name,
            node,
            at: outer.at,
            lines: outer.lines,
            home: outer.home,
            within: outer.within,
            problems: std::mem::take(&mut outer.problems),
            diagnostics: std::mem::take(&mut outer.diagnostics),
        }
    }

    /// Adds a finding about this entry.
    pub(crate) fn find(
        &mut self,
        code: Code,
        severity: Severity,
        at: usize,
        title: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic {
            code,
            severity,
            title: title.into(),
            detail: detail.into(),
            path: Some(Arc::clone(&self.spec.path)),
            position: self.lines.map(|lines| lines.position(at)),
            server: Some(self.name.to_owned()),
            fixes: Vec::new(),
        });
    }

    /// Adds a reason why the entry cannot be used.
    pub(crate) fn problem(&mut self, words: impl AsRef<str>) {
        self.problems.push(format!("Server \"{}\": {}", self.name, words.as_ref()));
    }

    pub(crate) fn host(&self) -> &'static str {
        self.spec.host.name
    }

    /// A member that is there and not null.
    pub(crate) fn member(&self, key: &str) -> Option<&'a Member> {
        let node: &'a Node = self.node;
        node.member(key).filter(|member| !matches!(member.value.kind, Kind::Null))
    }

    /// A string as it is meant, with findings about variables that are meant otherwise.
    pub(crate) fn value(&mut self, raw: &str, role: Role, at: usize) -> ValueExpr {
        let host = self.spec.host;
        if let Some(filled) = helpers::goose_header(self, raw, role) {
            return filled;
        }
        let parsed = value::parse(raw, host.variables, host.values, role);
        let parsed = given::fill(parsed, self.spec);
        // Variables and headers without a value are left out when connecting; anything else would be run or asked for
        // with the form in it.
        if let Some(why) = parsed.unfillable() {
            let field = self.field_at(at, raw).unwrap_or_else(|| "a value".to_owned());
            let told = format!("`{field}` cannot be filled in: {why}");
            match role {
                Role::Other => self.problem(told),
                Role::Env | Role::Header => {
                    let detail =
                        "It is left out when the server connects. Write the value itself in its place.";
                    self.find(Code::ValueLeftOut, Severity::Error, at, told, detail);
                }
            }
            return parsed;
        }
        for finding in validate::value(raw, &parsed, role, host) {
            let foreign = finding.code == Code::ForeignVariable;
            self.find(finding.code, finding.severity, at, finding.title, finding.detail);
            if foreign
                && let Some(right) = value::corrected(raw, host.variables)
                && let Some(change) = self.replacing(at, &right)
            {
                self.cure(format!("Write it as {} does", host.name), vec![change]);
            }
        }
        parsed
    }

    /// A field that must be a string.
    pub(crate) fn string(&mut self, key: &str) -> Option<(&'a str, usize)> {
        let member = self.member(key)?;
        match member.value.as_str() {
            Some(text) => Some((text, member.value.span.start)),
            None => {
                self.problem(format!("\"{key}\" must be a string"));
                None
            }
        }
    }

    /// A field that must be an array of strings.
    pub(crate) fn strings(&mut self, key: &str) -> Option<Vec<(&'a str, usize)>> {
        let member = self.member(key)?;
        let items: Option<Vec<(&'a str, usize)>> = member.value.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().map(|text| (text, item.span.start))).collect()
        });
        if items.is_none() {
            self.problem(format!("\"{key}\" must be an array of strings"));
        }
        items
    }

    /// A field that must be an object of strings, by the keys that lead to it; nothing where there are none.
    pub(crate) fn map(&mut self, path: &[&str], role: Role) -> Vec<(String, ValueExpr)> {
        let Some((key, above)) = path.split_last() else { return Vec::new() };
        let mut node: &'a Node = self.node;
        for key in above {
            match node.get(key) {
                Some(inner) => node = inner,
                None => return Vec::new(),
            }
        }
        let member = node.member(key).filter(|member| !matches!(member.value.kind, Kind::Null));
        let Some(member) = member else { return Vec::new() };
        let Some(members) = member.value.as_object() else {
            self.problem(format!("\"{key}\" must be an object of strings"));
            return Vec::new();
        };
        let mut map = Vec::with_capacity(members.len());
        for Member { key: name, key_span, value } in members {
            let at = value.span.start;
            let vs_code = self.spec.dialect == Dialect::VsCode && role == Role::Env;
            match &value.kind {
                Kind::String(text) => map.push((name.clone(), self.value(text, role, at))),
                Kind::Null if vs_code => {
                    map.push((name.clone(), ValueExpr { raw: String::new(), kind: ValueKind::Remove }));
                }
                Kind::Number(number) if vs_code => {
                    map.push((name.clone(), ValueExpr::literal(number.clone())))
                }
                Kind::Number(text) => {
                    self.wrong_value(key, name, value, key_span.start, "it is used as text");
                    map.push((name.clone(), ValueExpr::literal(text.clone())));
                }
                Kind::Bool(on) => {
                    self.wrong_value(key, name, value, key_span.start, "it is used as text");
                    map.push((name.clone(), ValueExpr::literal(on.to_string())));
                }
                Kind::Null | Kind::Array(_) | Kind::Object(_) => {
                    self.wrong_value(key, name, value, key_span.start, "it is left out");
                }
            }
        }
        map
    }

    fn wrong_value(&mut self, key: &str, name: &str, value: &Node, at: usize, then: &str) {
        let title = format!("`{name}` in `{key}` is {}, not a string", value.noun());
        let detail =
            format!("Put it in double quotes; {then} here, and {} may refuse the entry.", self.host());
        self.find(Code::WrongType, Severity::Warning, at, title, detail);
        if let Kind::Number(text) = &value.kind {
            self.cure("Put it in quotes", vec![self.setting(&[key, name], serde_json::json!(text))]);
        } else if let Kind::Bool(on) = value.kind {
            self.cure(
                "Put it in quotes",
                vec![self.setting(&[key, name], serde_json::json!(on.to_string()))],
            );
        }
    }

    /// What the entry's own switch says.
    pub(crate) fn enabled(&mut self) -> Option<bool> {
        let own = self.spelling.switch;
        for key in ["enabled", "disabled"] {
            if own.is_none_or(|(own, _)| own != key) && !self.spelling.keys.contains(&key) {
                self.ineffective(key);
            }
        }
        let (key, on) = own?;
        let member = self.member(key)?;
        let flag = match &member.value.kind {
            Kind::Bool(flag) => Some(*flag),
            Kind::String(text) if self.spelling.tolerance == Tolerance::Forgiving => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            Kind::Null | Kind::String(_) | Kind::Number(_) | Kind::Array(_) | Kind::Object(_) => None,
        };
        if flag.is_none() {
            let title = format!("`{key}` is {}, not `true` or `false`", member.value.noun());
            let detail = "It is ignored: the server stays on. Write `true` or `false`, without quotes.";
            self.find(Code::WrongType, Severity::Warning, member.value.span.start, title, detail);
            let meant = match member.value.as_str().map(str::to_ascii_lowercase).as_deref() {
                Some("true" | "1" | "yes" | "on") => Some(true),
                Some("false" | "0" | "no" | "off") => Some(false),
                Some(_) | None => None,
            };
            if let Some(meant) = meant {
                self.cure(format!("Write `{meant}`"), vec![self.setting(&[key], serde_json::json!(meant))]);
            }
        }
        flag.map(|flag| flag == on)
    }

    /// A switch that the host does not have, where someone relies on it.
    fn ineffective(&mut self, key: &str) {
        let Some(member) = self.member(key) else { return };
        let boolean = match member.value.kind {
            Kind::Bool(value) => Some(value),
            Kind::Null | Kind::Number(_) | Kind::String(_) | Kind::Array(_) | Kind::Object(_) => None,
        };
        if boolean == Some(key == "enabled") {
            return;
        }
        let host = self.host();
        let also = if boolean.is_none() { " (and it is not a boolean)" } else { "" };
        let title = format!("{host} does not know `{key}`{also}; the server stays on");
        let detail = match self.spelling.switch {
            Some((own, on)) => {
                format!("The switch of {host} is `{own}`; to switch off, write `\"{own}\": {}`.", !on)
            }
            None => match self.spec.host.switch {
                Switch::List => format!(
                    "{host} has a list by name instead. Switch the server off in Jackfield, which writes it."
                ),
                Switch::Flag { .. } | Switch::None => {
                    format!("{host} has no switch in this file. Switch the server off in Jackfield instead.")
                }
            },
        };
        self.find(Code::IneffectiveSwitch, Severity::Warning, member.key_span.start, title, detail);
        if let (Some((own, on)), Some(_)) = (self.spelling.switch, boolean)
            && self.member(own).is_none()
        {
            let changes = vec![self.removing(key), self.setting(&[own], serde_json::json!(!on))];
            self.cure(format!("Write `{own}` instead"), changes);
        }
    }

    /// How long the start may take.
    pub(crate) fn timeout(&mut self) -> Option<Duration> {
        for (key, unit) in self.spelling.timeouts {
            let Some(member) = self.member(key) else { continue };
            let number: Option<f64> = match &member.value.kind {
                Kind::Number(text) => text.parse().ok(),
                Kind::String(text) if self.spelling.tolerance == Tolerance::Forgiving => {
                    text.trim().parse().ok()
                }
                Kind::Null | Kind::Bool(_) | Kind::String(_) | Kind::Array(_) | Kind::Object(_) => None,
            };
            let seconds = number.map(|number| match unit {
                Unit::Milliseconds => number / 1000.0,
                Unit::Seconds => number,
            });
            let duration = seconds
                .filter(|seconds| *seconds > 0.0)
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            if duration.is_some() {
                return duration;
            }
            let unit = match unit {
                Unit::Milliseconds => "milliseconds",
                Unit::Seconds => "seconds",
            };
            let title = format!("`{key}` must be a number of {unit}, greater than 0");
            self.find(
                Code::WrongType,
                Severity::Warning,
                member.value.span.start,
                title,
                "It is ignored. Write the number without quotes, or remove the key.",
            );
            let number = member.value.as_str().and_then(|text| text.trim().parse::<u64>().ok());
            if let Some(number) = number.filter(|number| *number > 0) {
                self.cure("Write it as a number", vec![self.setting(&[*key], serde_json::json!(number))]);
            }
        }
        None
    }
}
