//! Slots: the places of a command line, an environment, a url or headers that hold a value, fixed or asked for.
//!
//! The form is the questions of all slots, and filling in is their answers, so both always agree.

use std::collections::{BTreeMap, BTreeSet};

use super::answers::Answers;
use super::server_json::{Argument, InputFormat, InputSpec, KeyValue, Remote};
use super::{Input, InputKind};
use crate::value::{self, Role, ValueKind, ValueRules, VariableSyntax};

/// One place.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    /// `env.TOKEN`, `headers.Authorization`, `arguments.0`, `url`.
    pub(super) id: String,
    pub(super) place: Place<'a>,
    label: String,
    repeated: bool,
    spec: &'a InputSpec,
    template: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<'a> {
    Env(&'a str),
    Header(&'a str),
    Positional,
    /// With its flag.
    Named(&'a str),
    Url,
}

/// A fixed value is text, with variables between.
#[derive(Debug)]
enum Part<'a> {
    Text(&'a str),
    Variable { name: &'a str, spec: Option<&'a InputSpec> },
}

/// What came out of a slot.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    /// None if it is left out; several only if it may be repeated.
    pub(super) values: Vec<String>,
    /// Whether a secret that somebody gave is part of it.
    pub(super) secret: bool,
}

impl<'a> Slot<'a> {
    pub(super) fn env(pair: &'a KeyValue) -> Slot<'a> {
        let (place, id) = (Place::Env(&pair.name), format!("env.{}", pair.name));
        Slot::new(id, place, pair.name.clone(), &pair.input, pair.input.is_secret)
    }

    pub(super) fn header(pair: &'a KeyValue) -> Slot<'a> {
        let (place, id) = (Place::Header(&pair.name), format!("headers.{}", pair.name));
        Slot::new(id, place, pair.name.clone(), &pair.input, pair.input.is_secret)
    }

    /// `list` tells the two lists of a package apart.
    pub(super) fn argument(list: &str, index: usize, argument: &'a Argument) -> Slot<'a> {
        let place = argument.flag().map_or(Place::Positional, Place::Named);
        let hint = argument.value_hint.clone().or_else(|| argument.flag().map(str::to_owned));
        let label = hint.unwrap_or_else(|| format!("Argument {}", index + 1));
        let spec = &argument.input;
        let mut slot = Slot::new(format!("{list}.{index}"), place, label, spec, spec.is_secret);
        slot.repeated = argument.is_repeated;
        slot
    }

    pub(super) fn url(remote: &'a Remote) -> Slot<'a> {
        static NOTHING: InputSpec = InputSpec {
            description: None,
            is_required: None,
            is_secret: false,
            format: InputFormat::Text,
            value: None,
            default: None,
            placeholder: None,
            choices: Vec::new(),
            variables: BTreeMap::new(),
        };
        let template = parts(remote.url.as_deref().unwrap_or_default(), &remote.variables, true);
        let (id, label) = ("url".to_owned(), "Url".to_owned());
        Slot { id, place: Place::Url, label, repeated: false, spec: &NOTHING, template: Some(template) }
    }

    /// Where `undeclared` is set, a `{name}` that is not declared is asked for too. It is for secrets: one that is
    /// published for everybody can only be a place to fill in.
    fn new(id: String, place: Place<'a>, label: String, spec: &'a InputSpec, undeclared: bool) -> Slot<'a> {
        let template = spec.value.as_deref().map(|value| parts(value, &spec.variables, undeclared));
        Slot { id, place, label, repeated: false, spec, template }
    }

    /// A flag of which nothing is said is always there and has no value.
    fn is_bare_flag(&self) -> bool {
        let spec = self.spec;
        matches!(self.place, Place::Named(_))
            && self.template.is_none()
            && (spec.description.as_ref(), spec.default.as_ref(), spec.placeholder.as_ref())
                == (None, None, None)
            && spec.choices.is_empty()
            && spec.is_required != Some(true)
            && spec.format == InputFormat::Text
    }

    /// Whether it is a switch: there for true, not there for false.
    pub(super) fn is_switch(&self) -> bool {
        matches!(self.place, Place::Named(_)) && self.spec.format == InputFormat::Boolean
    }

    /// Whether it is there unless it is switched off.
    pub(super) fn is_on_by_default(&self) -> bool {
        self.spec.default.as_deref() == Some("true")
    }

    /// What is asked for it.
    pub(super) fn questions(&self) -> Vec<Input> {
        match &self.template {
            None if self.is_bare_flag() => Vec::new(),
            None => vec![self.question(self.id.clone(), self.label.clone(), Some(self.spec), false)],
            Some(parts) => {
                let (mut questions, mut asked) = (Vec::new(), BTreeSet::new());
                for part in parts {
                    let Part::Variable { name, spec } = part else { continue };
                    if asked.insert(*name) {
                        let (id, label) = (self.variable_id(name), self.variable_label(name));
                        questions.push(self.question(id, label, *spec, true));
                    }
                }
                questions
            }
        }
    }

    fn variable_id(&self, name: &str) -> String {
        format!("{}.{name}", self.id)
    }

    /// The name of a variable alone says little beside the header it goes into.
    fn variable_label(&self, name: &str) -> String {
        match self.place {
            Place::Url => name.to_owned(),
            Place::Env(_) | Place::Header(_) | Place::Positional | Place::Named(_) => {
                format!("{}: {name}", self.label)
            }
        }
    }

    fn question(&self, id: String, label: String, spec: Option<&InputSpec>, variable: bool) -> Input {
        let whole = self.spec;
        let of = |get: fn(&InputSpec) -> &Option<String>| spec.and_then(|spec| get(spec).clone());
        // What a tool would replace by something of this machine is shown, and only taken if a person types it.
        let (default, replaced) = match of(|spec| &spec.default) {
            Some(default) if is_evaluated(&default, self.role()) => (None, Some(default)),
            // Nor what becomes such a thing beside the text around it.
            Some(default) if variable && default.contains(['$', '!', '%', '{', '}']) => (None, Some(default)),
            default => (default, None),
        };
        // A url cannot do without a part, and a part of something required is needed for it.
        let needed = variable && whole.is_required == Some(true);
        let required = match spec.and_then(|spec| spec.is_required) {
            Some(required) => required || needed,
            None => self.place == Place::Url || needed,
        };
        let description = of(|spec| &spec.description)
            .or_else(|| if variable { whole.description.clone() } else { None })
            .unwrap_or_default();
        Input {
            id,
            label,
            description,
            required,
            secret: whole.is_secret || spec.is_some_and(|spec| spec.is_secret),
            default,
            placeholder: of(|spec| &spec.placeholder).or(replaced),
            choices: spec.map(|spec| spec.choices.clone()).unwrap_or_default(),
            format: spec.map(|spec| spec.format).unwrap_or_default(),
            kind: match self.place {
                Place::Env(_) => InputKind::Env,
                Place::Header(_) => InputKind::Header,
                Place::Positional | Place::Named(_) => InputKind::Argument,
                Place::Url => InputKind::UrlVariable,
            },
            repeated: self.repeated,
        }
    }

    fn role(&self) -> Role {
        match self.place {
            Place::Env(_) => Role::Env,
            Place::Header(_) => Role::Header,
            Place::Positional | Place::Named(_) | Place::Url => Role::Other,
        }
    }

    /// A text of the publisher that some tool would replace by a variable of this machine, or run. Nobody who adds a
    /// server from a list expects its author to read their variables.
    pub(super) fn evaluated(&self) -> Option<String> {
        let parts = self.template.as_deref().unwrap_or_default();
        let text: String = parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => (*text).to_owned(),
                // With its braces, so that a `$` before it is seen.
                Part::Variable { name, .. } => format!("{{{name}}}"),
            })
            .collect();
        let choices = self.questions().into_iter().flat_map(|question| question.choices);
        std::iter::once(text).chain(choices).find(|text| is_evaluated(text, self.role()))
    }

    /// The values, by the answers.
    pub(super) fn resolve(&self, answers: &mut Answers<'_>) -> Resolved {
        let questions = self.questions();
        let given: Vec<Vec<String>> = questions.iter().map(|question| answers.lines(question)).collect();
        let secret =
            questions.iter().zip(&given).any(|(question, lines)| question.secret && !lines.is_empty());
        let Some(parts) = &self.template else {
            let values = given.into_iter().next().unwrap_or_else(|| vec![String::new()]);
            return Resolved { values, secret };
        };
        let left_out = given.iter().any(Vec::is_empty) && self.place != Place::Url;
        if left_out {
            return Resolved::default();
        }
        let count = given.iter().map(Vec::len).max().unwrap_or(1).max(1);
        for (question, lines) in questions.iter().zip(&given) {
            if lines.len() > 1 && lines.len() != count {
                answers.problem(&question.id, format!("Needs one line, or {count} like the others"));
            }
        }
        let by_id: BTreeMap<&str, &Vec<String>> =
            questions.iter().zip(&given).map(|(question, lines)| (question.id.as_str(), lines)).collect();
        let values = (0..count)
            .map(|round| {
                let text = |part: &Part<'_>| match part {
                    Part::Text(text) => (*text).to_owned(),
                    Part::Variable { name, .. } => {
                        let lines = by_id.get(self.variable_id(name).as_str());
                        let line = lines.and_then(|lines| lines.get(round).or(lines.first()));
                        line.cloned().unwrap_or_default()
                    }
                };
                parts.iter().map(text).collect()
            })
            .collect();
        Resolved { values, secret }
    }
}

/// Takes a fixed value apart. `{names}` that are not declared stay as they are, unless they are asked for.
fn parts<'a>(
    value: &'a str,
    variables: &'a BTreeMap<String, InputSpec>,
    ask_undeclared: bool,
) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = value[at..].find('{').map(|open| at + open) {
        at = open + 1;
        // No name has a brace in it; looking no further than the next one keeps this linear.
        let Some(close) = value[at..].find(['{', '}']).map(|close| at + close) else { break };
        if value[close..].starts_with('{') {
            continue;
        }
        let name = &value[at..close];
        let spec = variables.get(name);
        if spec.is_none() && !(ask_undeclared && is_name(name)) {
            continue;
        }
        parts.push(Part::Text(&value[from..open]));
        // A variable may have a fixed value itself.
        parts.push(match spec.and_then(|spec| spec.value.as_deref()) {
            Some(fixed) => Part::Text(fixed),
            None => Part::Variable { name, spec },
        });
        at = close + 1;
        from = at;
    }
    parts.push(Part::Text(&value[from..]));
    parts
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Whether any tool would take the text for something other than itself.
fn is_evaluated(text: &str, role: Role) -> bool {
    let shell = value::parse(text, VariableSyntax::Shell, ValueRules::Xcsh, role);
    // A command must not come out of a registry.
    if value::parse(text, VariableSyntax::Crush, ValueRules::Literal, role).kind != ValueKind::Literal {
        return true;
    }
    let by_itself = match shell.kind {
        ValueKind::Template(_) | ValueKind::Command(_) | ValueKind::Remove => true,
        ValueKind::Literal => false,
        // Most words are words; `AWS_SECRET_KEY` as the value of a header is the variable.
        ValueKind::NameOrLiteral => {
            role == Role::Header && text.contains('_') && !text.contains(|c: char| c.is_ascii_lowercase())
        }
    };
    by_itself || value::foreign(text, VariableSyntax::None, role).is_some()
}
