//! Failures of commands, for people: what failed, and what to do.

use crate::wire::{ApiErrorBody, Conflict, ErrorCode, FieldProblem};

/// A command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    /// The cure, as a sentence.
    pub hint: Option<String>,
    pub problems: Vec<FieldProblem>,
    pub conflict: Option<Box<Conflict>>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), hint: None, problems: Vec::new(), conflict: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> ApiError {
        let hint = hint.into();
        self.hint = (!hint.is_empty()).then_some(hint);
        self
    }

    /// Fields of a form are not accepted.
    pub fn invalid(problems: Vec<FieldProblem>) -> ApiError {
        let words = problems.iter().map(|problem| match problem.field.as_str() {
            "" => problem.message.clone(),
            field => format!("{field}: {}", problem.message),
        });
        let mut error = ApiError::new(ErrorCode::Invalid, words.collect::<Vec<_>>().join("; "));
        error.problems = problems;
        error
    }

    /// There is no server of this id or name.
    pub fn no_server(name: &str) -> ApiError {
        ApiError::new(ErrorCode::NotFound, format!("Server \"{name}\" not found."))
    }

    pub fn body(&self) -> ApiErrorBody {
        ApiErrorBody {
            code: self.code,
            message: self.message.clone(),
            hint: self.hint.clone(),
            problems: self.problems.clone(),
            conflict: self.conflict.clone().map(|conflict| *conflict),
        }
    }
}
