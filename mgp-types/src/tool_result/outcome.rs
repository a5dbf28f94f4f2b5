//! The outcome of a tool call.

use super::{ErrorDetail, ErrorType, Provenance, ResultStatus};
use std::fmt;

/// The outcome of a tool call: a verdict with its data, and more about it.
///
/// A handler returns one, and [`CallToolResult::outcome`](crate::mcp::CallToolResult::outcome) reads one from any server's result.
/// The type keeps the rules: every failure has an error, and none has data.
///
/// ```
/// use mgp_types::tool_result::{ErrorType, Outcome, ResultStatus};
/// let outcome = Outcome::success(3).explanation("counted twice");
/// assert_eq!((outcome.status(), outcome.data()), (ResultStatus::Success, Some(&3)));
///
/// let outcome = Outcome::<u32>::failure(ErrorType::FileNotFoundError, "there is no file \"a\"");
/// assert_eq!((outcome.status(), outcome.data()), (ResultStatus::Failure, None));
/// ```
/// A failure has no place for data:
/// ```compile_fail,E0559
/// use mgp_types::tool_result::{ErrorDetail, ErrorType, Verdict};
/// let error = ErrorDetail::new(ErrorType::TimeoutError, "it took too long");
/// let failed = Verdict::<u32>::Failure { 0: error, data: Some(3) };
/// ```
/// Nor is there a failure without an error, or a success that leaves out the data that it promised:
/// ```compile_fail,E0061
/// let failed = mgp_types::tool_result::Outcome::<u32>::failure();
/// ```
/// ```compile_fail,E0061
/// let outcome: mgp_types::tool_result::Outcome<u32> = mgp_types::tool_result::Outcome::no_change_needed();
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome<T> {
    /// The verdict, with the data or the error.
    pub verdict: Verdict<T>,
    /// The explanation of the outcome, for people and models.
    pub explanation: Option<String>,
    /// The sources of the data, as the server names them.
    pub provenance: Vec<Provenance>,
}

/// The part of an [`Outcome`] that depends on its status.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict<T> {
    /// The tool did what was requested.
    Success(T),
    /// Everything was already as it should be.
    #[non_exhaustive]
    NoChangeNeeded {
        /// The data; other implementations may leave them out.
        data: Option<T>,
    },
    /// The tool did a part of the request.
    #[non_exhaustive]
    PartialSuccess {
        /// The data of the part that was done; other implementations may leave them out.
        data: Option<T>,
        /// The error of the part that was not done; other implementations may leave it out.
        error: Option<ErrorDetail>,
    },
    /// The tool failed.
    Failure(ErrorDetail),
}

impl<T> Outcome<T> {
    /// Creates a success. `()` stands for no data.
    pub const fn success(data: T) -> Self {
        Self::new(Verdict::Success(data))
    }

    /// Creates the outcome of a call that had nothing to change.
    pub const fn no_change_needed(data: T) -> Self {
        Self::new(Verdict::NoChangeNeeded { data: Some(data) })
    }

    /// Creates the outcome of a call that did a part of the request. The error states the reason the rest was not done.
    pub fn partial_success(data: T, error: impl Into<ErrorDetail>) -> Self {
        Self::new(Verdict::PartialSuccess { data: Some(data), error: Some(error.into()) })
    }

    /// Creates a failure. [`ErrorDetail::details`] adds details: `ErrorDetail::new(..).details(..).into()`.
    pub fn failure(error_type: impl Into<ErrorType>, message: impl fmt::Display) -> Self {
        ErrorDetail::new(error_type, message).into()
    }

    pub(super) const fn new(verdict: Verdict<T>) -> Self {
        Self { verdict, explanation: None, provenance: Vec::new() }
    }

    /// Sets the explanation.
    #[must_use]
    pub fn explanation(self, explanation: impl Into<String>) -> Self {
        Self { explanation: Some(explanation.into()), ..self }
    }

    /// Adds a source of the data.
    #[must_use]
    pub fn provenance(mut self, source: impl Into<Provenance>) -> Self {
        self.provenance.push(source.into());
        self
    }

    /// Returns the status.
    pub const fn status(&self) -> ResultStatus {
        match self.verdict {
            Verdict::Success(_) => ResultStatus::Success,
            Verdict::NoChangeNeeded { .. } => ResultStatus::NoChangeNeeded,
            Verdict::PartialSuccess { .. } => ResultStatus::PartialSuccess,
            Verdict::Failure(_) => ResultStatus::Failure,
        }
    }

    /// Returns the data.
    pub const fn data(&self) -> Option<&T> {
        match &self.verdict {
            Verdict::Success(data) => Some(data),
            Verdict::NoChangeNeeded { data } | Verdict::PartialSuccess { data, .. } => data.as_ref(),
            Verdict::Failure(_) => None,
        }
    }

    /// Returns the error of a failure, or of the part that was not done.
    pub const fn error(&self) -> Option<&ErrorDetail> {
        match &self.verdict {
            Verdict::Failure(error) => Some(error),
            Verdict::PartialSuccess { error, .. } => error.as_ref(),
            Verdict::Success(_) | Verdict::NoChangeNeeded { .. } => None,
        }
    }

    /// Returns the data.
    ///
    /// # Errors
    /// The error of a failure; also if a server left out the data.
    pub fn into_data(self) -> Result<T, ErrorDetail> {
        let missing = |status: ResultStatus| {
            ErrorDetail::new(ErrorType::ToolExecutionError, format!("the result says {status}, without data"))
        };
        let status = self.status();
        match self.verdict {
            Verdict::Success(data) => Ok(data),
            Verdict::NoChangeNeeded { data } | Verdict::PartialSuccess { data, error: None } => {
                data.ok_or_else(|| missing(status))
            }
            Verdict::PartialSuccess { data, error: Some(error) } => data.ok_or(error),
            Verdict::Failure(error) => Err(error),
        }
    }

    /// Converts the data.
    ///
    /// # Errors
    /// The error of the conversion.
    pub fn try_map<U, E>(self, convert: impl FnOnce(T) -> Result<U, E>) -> Result<Outcome<U>, E> {
        let Self { verdict, explanation, provenance } = self;
        let verdict = match verdict {
            Verdict::Success(data) => Verdict::Success(convert(data)?),
            Verdict::NoChangeNeeded { data } => {
                Verdict::NoChangeNeeded { data: data.map(convert).transpose()? }
            }
            Verdict::PartialSuccess { data, error } => {
                Verdict::PartialSuccess { data: data.map(convert).transpose()?, error }
            }
            Verdict::Failure(error) => Verdict::Failure(error),
        };
        Ok(Outcome { verdict, explanation, provenance })
    }

    /// Returns the text for a model in addition to the data or the error's message: a separate text in the result.
    pub fn note(&self) -> Option<String> {
        let explanation = self.explanation.as_deref().filter(|text| !text.is_empty());
        let said = match &self.verdict {
            Verdict::Success(_) | Verdict::Failure(_) => return explanation.map(str::to_owned),
            Verdict::NoChangeNeeded { .. } => "no change was needed".to_owned(),
            Verdict::PartialSuccess { error: None, .. } => "only a part was done".to_owned(),
            Verdict::PartialSuccess { error: Some(error), .. } => {
                format!("only a part was done: {}", error.message)
            }
        };
        Some(explanation.map_or_else(|| said.clone(), |explanation| format!("{said}. {explanation}")))
    }
}

impl<T> From<ErrorDetail> for Outcome<T> {
    fn from(error: ErrorDetail) -> Self {
        Self::new(Verdict::Failure(error))
    }
}
