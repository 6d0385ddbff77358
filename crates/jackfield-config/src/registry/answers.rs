//! What a person filled in, checked against what is accepted.

use std::collections::{BTreeMap, BTreeSet};

use super::server_json::InputFormat;
use super::{Input, InputKind, InputProblem};

/// The answers to a form, and what is wrong with them.
#[derive(Debug)]
pub(super) struct Answers<'a> {
    values: &'a BTreeMap<String, String>,
    asked: BTreeSet<String>,
    problems: Vec<InputProblem>,
    /// Ids of secrets that have a value.
    secrets: Vec<String>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(values: &'a BTreeMap<String, String>) -> Answers<'a> {
        Answers { values, asked: BTreeSet::new(), problems: Vec::new(), secrets: Vec::new() }
    }

    pub(super) fn problem(&mut self, id: &str, message: String) {
        self.problems.push(InputProblem { id: id.to_owned(), message });
    }

    /// The url that came out is none. What is missing in it was told already.
    pub(super) fn url_problem(&mut self, id: &str) {
        if self.problems.is_empty() {
            self.problem(id, "The url must begin with `https://` or `http://` and a host".to_owned());
        }
    }

    /// The value of an input, one a line if it may be repeated. No answer means the default, an empty one nothing.
    pub(super) fn lines(&mut self, input: &Input) -> Vec<String> {
        self.asked.insert(input.id.clone());
        let values = self.values;
        let given = values.get(&input.id).or(input.default.as_ref()).map_or("", String::as_str);
        let given = given.trim_matches(['\r', '\n']);
        let lines: Vec<String> = match input.repeated {
            true => given.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect(),
            false if given.trim().is_empty() => Vec::new(),
            false => vec![given.to_owned()],
        };
        if lines.is_empty() && input.required {
            self.problem(&input.id, format!("`{}` needs a value", input.label));
        }
        if !lines.is_empty() && input.secret {
            self.secrets.push(input.id.clone());
        }
        let checked = lines.into_iter().map(|line| match accepted(input, line) {
            Ok(line) => line,
            Err(message) => {
                self.problem(&input.id, message);
                String::new()
            }
        });
        checked.collect()
    }

    /// Ids of the secrets.
    ///
    /// # Errors
    /// If anything is wrong.
    pub(super) fn end(mut self) -> Result<Vec<String>, Vec<InputProblem>> {
        let unknown: Vec<&String> = self.values.keys().filter(|id| !self.asked.contains(*id)).collect();
        for id in unknown {
            let message = format!("Nothing called `{id}` is asked for");
            self.problems.push(InputProblem { id: id.clone(), message });
        }
        if self.problems.is_empty() { Ok(self.secrets) } else { Err(self.problems) }
    }
}

/// The value as it is used, or what is accepted instead.
fn accepted(input: &Input, line: String) -> Result<String, String> {
    let word = line.trim();
    if !input.choices.is_empty() {
        let known = input.choices.iter().any(|choice| choice == word || *choice == line);
        let choices: Vec<String> = input.choices.iter().map(|choice| format!("`{choice}`")).collect();
        return if known { Ok(word.to_owned()) } else { Err(format!("Must be {}", choices.join(" or "))) };
    }
    match input.format {
        InputFormat::Number if is_decimal(word) => return Ok(word.to_owned()),
        InputFormat::Number => return Err("Must be a number, such as `8080` or `0.5`".to_owned()),
        InputFormat::Boolean if matches!(word, "true" | "false") => return Ok(word.to_owned()),
        InputFormat::Boolean => return Err("Must be `true` or `false`".to_owned()),
        InputFormat::Text | InputFormat::FilePath => {}
    }
    let forbidden = |c: char| match input.kind {
        InputKind::Header => c.is_control() && c != '\t',
        InputKind::UrlVariable => c.is_control() || c.is_whitespace(),
        InputKind::Env | InputKind::Argument => c == '\0',
    };
    match (line.contains(forbidden), input.kind) {
        (false, _) => Ok(line),
        (true, InputKind::Header) => Err("A header is one line, without control characters".to_owned()),
        (true, InputKind::UrlVariable) => Err("A url has no spaces and no line breaks".to_owned()),
        (true, InputKind::Env | InputKind::Argument) => Err("Must not hold a null character".to_owned()),
    }
}

/// Digits, perhaps with a sign and a point: what every program reads as a number.
fn is_decimal(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}
