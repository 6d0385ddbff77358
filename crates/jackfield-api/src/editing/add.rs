//! Servers from elsewhere: a pasted text. Nothing is written here; all ends in a form.

use jackfield_config::draft::{Draft, DraftTransport};
use jackfield_config::host;
use jackfield_config::import::{self, Imported};
use jackfield_config::write::{Abilities, TransportKind, Unit};

use super::form;
use crate::api::Api;
use crate::error::ApiError;
use crate::wire::{ErrorCode, ImportView, ImportedServer};

impl Api {
    /// What is in a pasted text.
    ///
    /// # Errors
    /// If nothing in it is known.
    pub fn import(&self, text: &str) -> Result<ImportView, ApiError> {
        let found = import::recognise(text)
            .map_err(|error| ApiError::new(ErrorCode::BadRequest, error.to_string()))?;
        let server = |imported: Imported| ImportedServer {
            lines: lines(&imported.draft),
            form: form::open(&imported.draft, &everything()),
            from: imported.host.map(str::to_owned),
            notes: imported.notes,
        };
        Ok(ImportView { what: found.what, servers: found.drafts.into_iter().map(server).collect() })
    }
}

/// The exact command, one argument a line, or the url. It is the person's own text, so nothing is masked.
pub(super) fn lines(draft: &Draft) -> Vec<String> {
    match &draft.transport {
        DraftTransport::Stdio { command, args, .. } => {
            std::iter::once(command).chain(args).cloned().collect()
        }
        DraftTransport::Http { url, .. } => vec![url.clone()],
    }
}

/// For a form that has no file yet.
pub(super) fn everything() -> Abilities {
    Abilities {
        transports: vec![TransportKind::Stdio, TransportKind::Http, TransportKind::Sse],
        env: true,
        cwd: true,
        headers: true,
        timeout: Some(Unit::Milliseconds),
        switch: true,
        variables: host::by_id("xcsh").map_or_else(Vec::new, |host| host.variables.examples()),
    }
}
