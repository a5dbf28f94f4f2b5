//! The JSON of `mgp access explain`, as far as it is shown.

use crate::{commands::CommandError, page::Context};
use mgp_types::tool_check::CheckToolResult;
use serde::Deserialize;

/// The answer of `mgp access explain`.
#[derive(Debug, Deserialize)]
pub(crate) struct Judgement {
    pub(super) agent_id: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    pub(super) permission: String,
    pub(super) source: String,
    #[serde(default)]
    pub(super) role: Option<String>,
    #[serde(default)]
    pub(super) policy: Option<String>,
    #[serde(default)]
    pub(super) granted_by: Option<String>,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    pub(super) reason: String,
    #[serde(default)]
    pub(super) rules: Vec<Rule>,
    #[serde(default)]
    pub(super) gates: Option<Gates>,
    #[serde(default)]
    pub(super) call: Option<CheckToolResult>,
}

/// A rule that matches.
#[derive(Debug, Deserialize)]
pub(super) struct Rule {
    #[serde(default)]
    pub(super) role: Option<String>,
    #[serde(default)]
    pub(super) server_id: Option<String>,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    #[serde(default)]
    pub(super) permission: Option<String>,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    #[serde(default)]
    pub(super) standing: String,
}

/// The gates behind access control.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Gates {
    pub(super) risk_level: String,
    pub(super) risk_reason: String,
    pub(super) asked: String,
    pub(super) permissions: Vec<Permission>,
    pub(super) answers: Vec<Answer>,
    pub(super) confinement: Option<String>,
    pub(super) limits: Option<Vec<String>>,
    pub(super) pinned: DefinitionState,
}

/// A permission that the tool needs.
#[derive(Debug, Deserialize)]
pub(super) struct Permission {
    pub(super) permission: String,
    pub(super) state: String,
}

/// The answer of a validator.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) validator: String,
    pub(super) answer: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// The state of the accepted definition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DefinitionState {
    pub(super) state: String,
    pub(super) reason: Option<String>,
}

/// The call that is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    pub(crate) agent: &'a str,
    pub(crate) server: &'a str,
    pub(crate) tool: Option<&'a str>,
    pub(crate) arguments: Option<&'a str>,
}

impl CallArguments<'_> {
    /// Has the call judged, without making it.
    ///
    /// # Errors
    /// The error of the command.
    pub(crate) async fn judge(self, context: &Context) -> Result<Judgement, CommandError> {
        let arguments = self.arguments.map(|json| format!("--arguments={json}"));
        let mut words = vec!["access", "explain"];
        words.extend(arguments.as_deref());
        words.extend(["--", self.agent, self.server]);
        words.extend(self.tool);
        context.read(&words).await
    }
}
