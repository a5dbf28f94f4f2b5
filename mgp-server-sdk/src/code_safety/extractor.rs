//! The extractor that checks code.

use super::{CodeRefusal, CodeRules};
use crate::{
    Call,
    extract::{FromCall, MissingState, Needs, State},
};

/// Checks code by the [rules](CodeRules) of the server.
///
/// ```
/// use mgp_server_sdk::{Server, Tool, ToolError, code_safety::{CodeRules, CodeSafety, SafetyLevel}, extract::Args};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Program {
///     code: String,
/// }
///
/// async fn run(safety: CodeSafety, Args(Program { code }): Args<Program>) -> Result<String, ToolError> {
///     safety.check("python", &code)?;
///     Ok(format!("{} lines may run", code.lines().count()))
/// }
///
/// let server = Server::new("python", "1.0.0")
///     .code_safety(CodeRules::new(SafetyLevel::Strict).allow_imports(["json", "math"]))
///     .tool(Tool::new("run", "Runs Python", run));
/// # server.build().unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct CodeSafety(CodeRules);

impl CodeSafety {
    /// Checks code of a language: `python`, `javascript`, `typescript`, `tsx` or `bash`. For any other language, `standard`
    /// checks only the size and the patterns, and stricter levels refuse all code.
    ///
    /// The check takes some milliseconds for ten kilobytes.
    ///
    /// # Errors
    /// Returns the rejection, which a handler can pass on with `?`.
    pub fn check(&self, language: &str, code: &str) -> Result<(), CodeRefusal> {
        self.0.of_language(language).check(code).map_err(|rejection| CodeRefusal::from(*rejection))
    }
}

impl FromCall for CodeSafety {
    type Rejection = MissingState;

    fn needs(needs: &mut Needs) {
        needs.state::<CodeRules>();
    }

    async fn from_call(call: &Call) -> Result<Self, MissingState> {
        let State(rules) = State::from_call(call).await?;
        Ok(Self(rules))
    }
}
