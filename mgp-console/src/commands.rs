//! The commands of the program, which do everything that the console shows or changes.

use crate::operator::Operator;
use async_trait::async_trait;
use futures_core::stream::BoxStream;
use serde::Deserialize;

/// The commands of a program, as its command line has them.
#[async_trait]
pub trait Commands: Send + Sync + 'static {
    /// Runs one command on behalf of an operator, and returns what it prints with `--json`. `words` are the words of the command line after the
    /// name of the program, such as `["approve", "conf-1", "--deny"]`.
    ///
    /// # Errors
    /// The error of the command.
    async fn run(&self, operator: &Operator, words: &[String]) -> Result<String, CommandError>;

    /// Runs a command as [`run`](Self::run) does, with a text as its standard input.
    ///
    /// # Errors
    /// The error of the command. Programs without such commands refuse it.
    async fn run_with_input(
        &self,
        operator: &Operator,
        words: &[String],
        input: &str,
    ) -> Result<String, CommandError> {
        let _ = (operator, input);
        let command = words.first().map_or("", String::as_str);
        Err(CommandError::new("usage", format!("this console gives `mgp {command}` no input")))
    }

    /// Follows the audit events of the gateway from now on. The stream may skip events if it is read too slowly.
    fn follow(&self) -> BoxStream<'static, LiveEvent>;
}

/// An audit event, as it happens.
#[derive(Debug, Clone)]
pub struct LiveEvent {
    /// The JSON of the event.
    pub json: String,
}

/// The error of a command: one sentence, and advice on what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Deserialize)]
#[error("{message}")]
pub struct CommandError {
    /// The kind of the error, as in the JSON of the command.
    pub kind: Box<str>,
    /// The sentence.
    pub message: String,
    /// The advice.
    #[serde(default)]
    pub help: Option<String>,
    /// The problems of a file, each with its place.
    #[serde(default)]
    pub problems: Box<[PlacedProblem]>,
    /// The result of a failed tool, as JSON.
    #[serde(skip)]
    pub result: Option<String>,
    /// The trace of the failed call.
    #[serde(default)]
    pub trace: Option<Box<str>>,
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PlacedProblem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The sentence.
    pub message: String,
    /// The advice.
    #[serde(default)]
    pub help: Option<String>,
}

impl CommandError {
    /// Creates the error of an answer that the console cannot read.
    pub(crate) fn unreadable(command: &str, error: &serde_json::Error) -> Self {
        Self::new("unreadable", format!("the answer of `mgp {command}` cannot be read: {error}"))
    }

    /// Creates an error without advice.
    #[must_use]
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            help: None,
            problems: Box::default(),
            result: None,
            trace: None,
        }
    }
}
