//! The request of a page: who asks, in which language, with which fields.

use crate::{
    command_line::Words,
    commands::CommandError,
    console::Console,
    form::Form,
    guard::{Nonce, Session},
    operator::OperatorRole,
    texts::Texts,
};
use axum::{extract::FromRequestParts, response::Response};
use http::{StatusCode, request::Parts};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The request of a page.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) console: Arc<Console>,
    pub(crate) session: Arc<Session>,
    pub(crate) nonce: Nonce,
    pub(crate) texts: &'static Texts,
    /// The fields of the address, or those of the form of an action.
    pub(crate) query: Form,
}

impl Context {
    /// Runs a command that changes nothing, and reads what it prints with `--json`.
    ///
    /// # Errors
    /// The error of the command, or if its answer has another form.
    pub(crate) async fn read<T: DeserializeOwned>(&self, words: &[&str]) -> Result<T, CommandError> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let json = self.console.commands.run(&self.session.operator, &words).await?;
        serde_json::from_str(&json)
            .map_err(|error| CommandError::unreadable(words.first().map_or("", String::as_str), &error))
    }

    /// Runs a command that changes nothing, with values of the address among its words.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) async fn read_words<T: DeserializeOwned>(&self, words: Words) -> Result<T, CommandError> {
        let words = words.finish();
        self.read(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
    }

    /// Returns whether the operator has the rights of a role.
    pub(crate) fn may(&self, role: OperatorRole) -> bool {
        self.session.operator.role >= role
    }

    /// Returns the sentence on the role that the operator lacks, if there is one.
    pub(crate) fn refusal(&self, role: OperatorRole) -> Option<String> {
        let sentence = || self.texts.common.role_needed.replace("{role}", role.as_str());
        (!self.may(role)).then(sentence)
    }
}

impl FromRequestParts<Arc<Console>> for Context {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, console: &Arc<Console>) -> Result<Self, Response> {
        let missing = || axum::response::IntoResponse::into_response(StatusCode::UNAUTHORIZED);
        let session = parts.extensions.get::<Arc<Session>>().cloned().ok_or_else(missing)?;
        let nonce = parts.extensions.get::<Nonce>().cloned().ok_or_else(missing)?;
        let query = Form::parse(parts.uri.query().unwrap_or_default().as_bytes());
        Ok(Self { console: console.clone(), session, nonce, texts: console.texts(&parts.headers), query })
    }
}
