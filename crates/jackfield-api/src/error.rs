//! Failures of commands, for people: what failed, and what to do.

use crate::wire::{ApiErrorBody, ErrorCode};

/// A command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    /// The cure, as a sentence.
    pub hint: Option<String>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> ApiError {
        let hint = hint.into();
        self.hint = (!hint.is_empty()).then_some(hint);
        self
    }

    /// There is no server of this id or name.
    pub fn no_server(name: &str) -> ApiError {
        ApiError::new(ErrorCode::NotFound, format!("Server \"{name}\" not found."))
    }

    pub fn body(&self) -> ApiErrorBody {
        ApiErrorBody { code: self.code, message: self.message.clone(), hint: self.hint.clone() }
    }
}
