//! Servers of the registry that the settings name: found, asked about, and turned into a form. Nothing is written here.

use std::collections::BTreeMap;

use jackfield_config::registry::{self, Choice, Input, InputFormat, Listed, ListedStatus};
use jackfield_config::{draft, write};
use jackfield_engine::registry::{RegistryClient, RegistryError};

use super::{add, form};
use crate::api::Api;
use crate::error::ApiError;
use crate::wire::{
    ErrorCode, FieldProblem, RegistryChoice, RegistryFilled, RegistryInput, RegistryPage, RegistryRow,
    RegistryServer, Severity,
};

/// Servers on a page.
const PAGE: u32 = 30;

impl Api {
    /// Servers of the registry that match the words, from `cursor` on.
    ///
    /// # Errors
    /// If the registry gives no answer that can be used.
    pub async fn registry_search(&self, query: &str, cursor: Option<&str>) -> Result<RegistryPage, ApiError> {
        let page = self.registry()?.search(query, cursor, PAGE).await.map_err(told)?;
        let there = |listed: &&Listed| listed.status != ListedStatus::Deleted;
        Ok(RegistryPage {
            registry: self.engine().settings().registry_url.clone(),
            servers: page.servers.iter().filter(there).map(row).collect(),
            next: page.next_cursor,
            unreadable: page.unreadable,
        })
    }

    /// A server of the registry in its latest version, with the ways to run it and what each asks for.
    ///
    /// # Errors
    /// If the registry has no such server, or gives no answer that can be used.
    pub async fn registry_server(&self, name: &str) -> Result<RegistryServer, ApiError> {
        let listed = self.registry()?.server(name, None).await.map_err(told)?;
        let choices = registry::choices(&listed.server).iter().map(choice).collect();
        let answer = RegistryServer { row: row(&listed), choices };
        *self.described.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(listed);
        Ok(answer)
    }

    /// The server with the answers filled in, for the file `source`. A secret that is not answered becomes a variable as
    /// that file's tool writes them, so that it need not stand in the file.
    ///
    /// # Errors
    /// If there is no such server or choice. What is wrong with the answers is told in the outcome.
    pub async fn registry_fill(
        &self,
        name: &str,
        version: &str,
        choice: &str,
        values: &BTreeMap<String, String>,
        source: &str,
    ) -> Result<RegistryFilled, ApiError> {
        let listed = self.described(name, version).await?;
        let choices = registry::choices(&listed.server);
        let chosen = choices.iter().find(|one| one.id == choice).ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, format!("`{name}` has no way to run called `{choice}`"))
        })?;
        let mut values = values.clone();
        let mut variables = Vec::new();
        if let Some(pattern) = self.variable_form(source)? {
            for input in registry::form(chosen).iter().filter(|input| input.secret && input.required) {
                if values.get(&input.id).is_none_or(|value| value.trim().is_empty()) {
                    let variable = variable(&listed.server.name, input);
                    values.insert(input.id.clone(), pattern.replace("NAME", &variable));
                    variables.push(variable);
                }
            }
        }
        Ok(match registry::fill(&listed.server, chosen, &values) {
            Ok(filled) => {
                let draft = filled.draft();
                RegistryFilled {
                    form: form::open(&draft, &add::everything()),
                    problems: Vec::new(),
                    lines: add::lines(&draft),
                    variables,
                }
            }
            Err(problems) => RegistryFilled {
                form: form::empty(""),
                problems: problems
                    .into_iter()
                    .map(|problem| FieldProblem {
                        field: problem.id,
                        severity: Severity::Error,
                        message: problem.message,
                    })
                    .collect(),
                lines: Vec::new(),
                variables,
            },
        })
    }

    /// How the tool of a file writes a variable called NAME; nothing if it evaluates none.
    fn variable_form(&self, source: &str) -> Result<Option<&'static str>, ApiError> {
        let catalog = self.engine().catalog();
        let reading = catalog.sources.iter().find(|reading| *reading.spec.id.0 == *source);
        let reading = reading.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "There is no such file"))?;
        Ok(write::abilities(&reading.spec).variables.into_iter().find(|form| form.contains("NAME")))
    }

    fn registry(&self) -> Result<RegistryClient, ApiError> {
        RegistryClient::new(&self.engine().settings().registry_url).map_err(told)
    }

    /// The description that was shown last, or that very version anew.
    async fn described(&self, name: &str, version: &str) -> Result<Listed, ApiError> {
        {
            let last = self.described.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let same = |listed: &&Listed| listed.server.name == name && listed.server.version == version;
            if let Some(listed) = last.as_ref().filter(same) {
                return Ok(listed.clone());
            }
        }
        let version = Some(version).filter(|version| !version.is_empty());
        self.registry()?.server(name, version).await.map_err(told)
    }
}

/// The variable that a secret is taken from.
fn variable(server: &str, input: &Input) -> String {
    match input.id.strip_prefix("env.") {
        Some(name) if !name.contains('.') => name.to_owned(),
        _ => {
            let short = server.rsplit('/').next().unwrap_or(server);
            draft::variable_name(short, input.id.rsplit('.').next().unwrap_or("TOKEN"))
        }
    }
}

fn row(listed: &Listed) -> RegistryRow {
    let server = &listed.server;
    let status = match listed.status {
        ListedStatus::Active | ListedStatus::Unknown => None,
        ListedStatus::Deprecated => Some("Deprecated"),
        ListedStatus::Deleted => Some("Taken back"),
    };
    RegistryRow {
        name: server.name.clone(),
        title: server.title.clone(),
        description: server.description.clone(),
        version: server.version.clone(),
        warning: status.map(|word| match &listed.status_message {
            Some(why) => format!("{word}: {why}"),
            None => word.to_owned(),
        }),
        website: server.website_url.clone().or_else(|| server.repository.url.clone()),
    }
}

fn choice(choice: &Choice) -> RegistryChoice {
    RegistryChoice {
        id: choice.id.clone(),
        label: choice.label.clone(),
        detail: choice.detail.clone(),
        unsupported: choice.unsupported.clone(),
        inputs: registry::form(choice).into_iter().map(input).collect(),
    }
}

fn input(input: Input) -> RegistryInput {
    let choices = match input.format {
        InputFormat::Boolean if input.choices.is_empty() => vec!["true".to_owned(), "false".to_owned()],
        InputFormat::Boolean | InputFormat::Text | InputFormat::Number | InputFormat::FilePath => input.choices,
    };
    RegistryInput {
        id: input.id,
        label: input.label,
        description: Some(input.description).filter(|text| !text.is_empty()),
        required: input.required,
        secret: input.secret,
        default: input.default,
        placeholder: input.placeholder,
        choices,
        repeated: input.repeated,
    }
}

fn told(error: RegistryError) -> ApiError {
    let code = match &error {
        RegistryError::NotFound { .. } => ErrorCode::NotFound,
        RegistryError::Url { .. } => ErrorCode::BadRequest,
        RegistryError::Unreachable { .. }
        | RegistryError::Slow { .. }
        | RegistryError::Status { .. }
        | RegistryError::TooLarge { .. }
        | RegistryError::NotJson { .. }
        | RegistryError::Shape { .. } => ErrorCode::Registry,
    };
    ApiError::new(code, error.to_string()).hint(error.hint())
}
