//! The gates behind access control, as far as they are known without a call, in the order and words of docs/asking.md.

use crate::output::printable;
use mgp_kernel::{Kernel, command_word};
use mgp_security::{
    definition::{DefinitionStanding, HoldReason},
    permission::Permissions,
    profile::{Confirmation, ToolProfile},
    validator::{ValidatorAnswer, Verdict},
};
use mgp_types::{
    context::{RiskLevel, ToolId},
    permission::{Permission, PermissionPolicy, PermissionState},
    tool_security::SecretPolicy,
};
use serde::{Serialize, Serializer};
use std::fmt;

/// The state of a tool at permissions, confirmation and validators.
#[derive(Debug, Serialize)]
pub(crate) struct ToolGates {
    risk_level: RiskLevel,
    /// The factor that determines the tool's risk.
    risk_reason: String,
    validators: Vec<String>,
    #[serde(serialize_with = "as_name")]
    confirmation: Confirmation,
    /// The sentence that states whether somebody is asked before a call, and why.
    asked: String,
    permissions: Vec<PermissionRow>,
    /// The validators' answers on the arguments of a call, if known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<AnswerRow>,
    /// The confinement of the tool's server, if validators read the tool's calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    confinement: Option<String>,
    /// A sentence for each limit on an agent's calls, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<Vec<String>>,
    /// The handling of secrets in results.
    secrets: SecretPolicy,
    /// Declared permissions with invalid names; the tool is never called.
    invalid_permissions: Vec<String>,
    pinned: PinStanding,
}

/// The state of a tool's pinned definition, and the sentence about it.
#[derive(Debug, Serialize)]
struct PinStanding {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl PinStanding {
    fn of(standing: DefinitionStanding, id: &ToolId) -> Self {
        let (state, reason) = match standing {
            DefinitionStanding::Accepted => ("accepted", None),
            DefinitionStanding::Changed => ("changed", Some(HoldReason::Changed.sentence(id))),
            DefinitionStanding::Held(reason) => ("withheld", Some(reason.sentence(id))),
        };
        Self { state, reason }
    }

    fn line(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        line("pinned", &format!("{}{reason}", self.state))
    }
}

/// The answer of a validator.
#[derive(Debug, Serialize)]
struct AnswerRow {
    validator: String,
    answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<ValidatorAnswer> for AnswerRow {
    fn from(ValidatorAnswer { validator, verdict }: ValidatorAnswer) -> Self {
        let (answer, reason) = match verdict {
            Verdict::Pass => ("passes", None),
            Verdict::Ask(violation) => ("asks", Some(violation.listed())),
            Verdict::Refuse(violation) => ("refuses", Some(violation.listed())),
        };
        Self { validator: validator.to_string(), answer, reason }
    }
}

impl fmt::Display for AnswerRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {} {}", self.validator, self.answer)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

#[derive(Debug, Serialize)]
struct PermissionRow {
    permission: String,
    state: PermissionState,
    /// The rest of the line: the outcome, and the source of the decision.
    #[serde(skip)]
    outlook: String,
}

impl ToolGates {
    pub(crate) fn of(kernel: &Kernel, id: &ToolId, profile: &ToolProfile) -> Self {
        let row = |permission: &Permission| PermissionRow {
            permission: permission.to_string(),
            state: shown_state(kernel.permissions(), &id.server_id, permission),
            outlook: outlook(kernel.permissions(), &id.server_id, permission),
        };
        Self {
            risk_level: profile.risk,
            risk_reason: profile.risk_reason.to_string(),
            validators: profile.validators.iter().map(ToString::to_string).collect(),
            confirmation: profile.confirmation,
            asked: asked(kernel.permissions(), &id.server_id, profile),
            permissions: profile.permissions.iter().map(row).collect(),
            answers: Vec::new(),
            confinement: confinement(kernel, &id.server_id).filter(|_| !profile.validators.is_empty()),
            limits: None,
            secrets: secrets(kernel, &id.server_id),
            invalid_permissions: profile.invalid_permissions.clone(),
            pinned: PinStanding::of(kernel.definitions().standing(id, profile.definition), id),
        }
    }

    /// Adds the validators' answers on the arguments of a call.
    pub(crate) fn with_answers(mut self, answers: Vec<ValidatorAnswer>) -> Self {
        self.answers = answers.into_iter().map(AnswerRow::from).collect();
        self
    }

    /// Adds the limits on an agent's calls.
    pub(crate) fn with_limits(mut self, limits: Vec<String>) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Returns the lines of text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let listed = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        // The names and reasons come from servers, so they must not start a new line.
        let row = |row: &dyn fmt::Display| printable(&row.to_string()).replace('\n', " ");
        let mut lines =
            vec![line("risk", &format!("{} ({})", self.risk_level, self.risk_reason)), self.pinned.line()];
        if !self.invalid_permissions.is_empty() {
            let names = self.invalid_permissions.join(", ");
            lines.push(line("never called", &format!("it needs {names}, which is not a permission")));
        }
        lines.push(line("permissions", if self.permissions.is_empty() { "none" } else { "" }));
        lines.extend(self.permissions.iter().map(|permission| row(permission)));
        lines.push(line("validators", &listed(&self.validators)));
        lines.extend(self.answers.iter().map(|answer| row(answer)));
        lines.extend(self.confinement.as_ref().map(|confinement| line("confinement", confinement)));
        lines.push(line("confirmation", &format!("{} (servers[].mgp.confirmation)", self.asked)));
        if let Some(limits) = &self.limits {
            lines.push(line("limits", if limits.is_empty() { "none" } else { "" }));
            lines.extend(limits.iter().map(|limit| row(&format_args!("  {limit}"))));
        }
        if let Some(secrets) = secrets_in_words(self.secrets) {
            lines.push(line("secrets", &format!("in results: {secrets}")));
        }
        lines
    }
}

/// Returns the sentence that states whether somebody is asked before a call, and why. Questions and refusals give the same reason.
fn asked(permissions: &Permissions, server_id: &str, profile: &ToolProfile) -> String {
    let reason = profile.confirmation_reason();
    let is_dangerous = |permission: &&Permission| permission.risk() == Some(RiskLevel::Dangerous);
    let dangerous: Vec<_> = profile.permissions.iter().filter(is_dangerous).collect();
    match profile.confirmation {
        Confirmation::Never => format!("nobody is asked: {reason}"),
        Confirmation::UnlessApproved
            if !dangerous.is_empty() && permissions.has_all(server_id, dangerous.iter().copied()) =>
        {
            let names: Vec<_> = dangerous.iter().map(ToString::to_string).collect();
            format!("nobody is asked: the approval of {} stands for the confirmation", names.join(", "))
        }
        Confirmation::UnlessApproved | Confirmation::Always => format!("somebody is asked: {reason}"),
    }
}

/// The sentence on the limits of validators.
pub(crate) const VALIDATORS_ADVISE: &str = "A validator is advice, and confinement is the wall: a validator reads one call, and does not see what a file \
     does that one call writes and the next one runs";

/// Returns the confinement of a server as text; `None` if the server runs in this process.
fn confinement(kernel: &Kernel, server_id: &str) -> Option<String> {
    let servers = kernel.servers();
    let enforcement = servers.iter().find(|server| server.id() == server_id)?.enforcement()?;
    Some(format!("{enforcement}. {VALIDATORS_ADVISE}"))
}

/// Returns the handling of secrets in a server's results.
pub(crate) fn secrets(kernel: &Kernel, server_id: &str) -> SecretPolicy {
    kernel
        .servers()
        .iter()
        .find(|server| server.id() == server_id)
        .map(|server| server.secrets())
        .unwrap_or_default()
}

/// Returns the handling of secrets in a server's results as text; `None` if results are not scanned.
pub(crate) const fn secrets_in_words(policy: SecretPolicy) -> Option<&'static str> {
    match policy {
        SecretPolicy::Off => None,
        SecretPolicy::Warn => Some("recorded (servers[].mgp.results.secrets)"),
        SecretPolicy::Mask => Some("masked and recorded (servers[].mgp.results.secrets)"),
    }
}

/// Returns the state of a permission. A permission that the policy approves on demand counts as approved.
fn shown_state(permissions: &Permissions, server_id: &str, permission: &Permission) -> PermissionState {
    if permissions.has_all(server_id, [permission]) {
        return PermissionState::Approved;
    }
    permissions.state(server_id, permission)
}

/// Returns the outcome of a permission when a call needs it, and the source of the decision.
fn outlook(permissions: &Permissions, server_id: &str, permission: &Permission) -> String {
    if permissions.has_all(server_id, [permission]) {
        let approver = permissions.approval(server_id, permission).map(|(by, _)| by);
        // The policy approves a permission without an approver on demand.
        if approver.is_none_or(|by| by == PermissionPolicy::AutoApprove.as_str()) {
            return format!(" by the policy {}", PermissionPolicy::AutoApprove);
        }
        let limited =
            |scope| format!(" within limits ({scope}); where nothing enforces them, its calls are refused");
        return permissions.scope(server_id, permission).map(limited).unwrap_or_default();
    }
    permissions.config_only(server_id).map_or_else(
        || format!(": `mgp approve {} {permission}`", command_word(server_id)),
        |sentence| format!(": {sentence}"),
    )
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_name<S: Serializer>(confirmation: &Confirmation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match confirmation {
        Confirmation::Never => "never",
        Confirmation::UnlessApproved => "unless_approved",
        Confirmation::Always => "always",
    })
}

impl fmt::Display for PermissionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { permission, state, outlook } = self;
        write!(f, "  {permission} is {state}{outlook}")
    }
}

/// Returns a line with a name in front. Further lines of the value are indented, so that none looks like a line with a name.
pub(crate) fn line(name: &str, value: &str) -> String {
    let value = printable(value).replace('\n', &format!("\n{:16}", ""));
    format!("{name:<16}{value}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn no_value_begins_a_line_with_a_name() {
        let shown = line("description", "Reads.\nrisk            safe\u{202e}");
        assert_eq!(shown, "description     Reads.\n                risk            safe\\u{202e}");
        assert_eq!(line("permissions", ""), "permissions");
    }
}
