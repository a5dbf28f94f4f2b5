//! The gates behind access control, as far as they are known without a call.

use crate::output::printable;
use mgp_client_sdk::kernel::{Kernel, command_word};
use mgp_security::{
    definition::{DefinitionStanding, HoldReason},
    permission::Permissions,
    profile::{Confirmation, ToolProfile},
};
use mgp_types::{
    context::{RiskLevel, ToolId},
    permission::{Permission, PermissionState},
    tool_security::SecretPolicy,
};
use serde::{Serialize, Serializer};
use std::fmt;

/// The standing of a tool with permissions, confirmation and validators.
#[derive(Debug, Serialize)]
pub(crate) struct ToolGates {
    risk_level: RiskLevel,
    validators: Vec<String>,
    #[serde(serialize_with = "as_name")]
    confirmation: Confirmation,
    permissions: Vec<PermissionRow>,
    /// The answer to secrets in results.
    secrets: SecretPolicy,
    /// Names that were declared as permissions and are none: the tool is never called.
    invalid_permissions: Vec<String>,
    pinned: PinStanding,
}

/// The standing of a tool's definition, and the sentence about it.
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

#[derive(Debug, Serialize)]
struct PermissionRow {
    permission: String,
    state: PermissionState,
    /// The rest of the line for people: what becomes of it, and what decides on it.
    #[serde(skip)]
    outlook: String,
}

impl ToolGates {
    pub(crate) fn of(kernel: &Kernel, id: &ToolId, profile: &ToolProfile) -> Self {
        let row = |permission: &Permission| PermissionRow {
            permission: permission.to_string(),
            state: kernel.permissions().state(&id.server_id, permission),
            outlook: outlook(kernel.permissions(), &id.server_id, permission),
        };
        Self {
            risk_level: profile.risk,
            validators: profile.validators.iter().map(ToString::to_string).collect(),
            confirmation: profile.confirmation,
            permissions: profile.permissions.iter().map(row).collect(),
            secrets: secrets(kernel, &id.server_id),
            invalid_permissions: profile.invalid_permissions.clone(),
            pinned: PinStanding::of(kernel.definitions().standing(id, profile.definition), id),
        }
    }

    /// Returns the lines for people.
    pub(crate) fn lines(&self) -> Vec<String> {
        let listed = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let mut lines = vec![
            line("risk", self.risk_level.as_str()),
            line("validators", &listed(&self.validators)),
            line("confirmation", self.confirmation()),
            self.pinned.line(),
        ];
        if let Some(secrets) = secrets_in_words(self.secrets) {
            lines.push(line("secrets", &format!("in results: {secrets}")));
        }
        if !self.invalid_permissions.is_empty() {
            let names = self.invalid_permissions.join(", ");
            lines.push(line("never called", &format!("it needs {names}, which is no permission")));
        }
        lines.push(line("permissions", if self.permissions.is_empty() { "none" } else { "" }));
        lines.extend(self.permissions.iter().map(|row| printable(&row.to_string()).into_owned()));
        lines
    }

    /// Returns when somebody is asked before a call.
    fn confirmation(&self) -> &'static str {
        match self.confirmation {
            Confirmation::Never => "never asked",
            Confirmation::UnlessApproved => {
                "asked, unless a dangerous permission that it needs is approved (servers[].mgp.confirmation)"
            }
            Confirmation::Always => "asked before every call (servers[].mgp.confirmation)",
        }
    }
}

/// Returns the answer to secrets in what a server returns.
pub(crate) fn secrets(kernel: &Kernel, server_id: &str) -> SecretPolicy {
    kernel
        .servers()
        .iter()
        .find(|server| server.id() == server_id)
        .map(|server| server.secrets())
        .unwrap_or_default()
}

/// Returns what becomes of secrets in what a server returns, for people; `None` if nobody looks for them.
pub(crate) const fn secrets_in_words(policy: SecretPolicy) -> Option<&'static str> {
    match policy {
        SecretPolicy::Off => None,
        SecretPolicy::Warn => Some("recorded (servers[].mgp.results.secrets)"),
        SecretPolicy::Mask => Some("masked and recorded (servers[].mgp.results.secrets)"),
    }
}

/// Returns what becomes of a permission when a call needs it, and what decides on it.
fn outlook(permissions: &Permissions, server_id: &str, permission: &Permission) -> String {
    if permissions.state(server_id, permission) == PermissionState::Approved {
        let limited =
            |scope| format!(" within limits ({scope}); where nothing enforces them, its calls are refused");
        return permissions.scope(server_id, permission).map(limited).unwrap_or_default();
    }
    if permissions.has_all(server_id, [permission]) {
        return ", and the policy auto_approve approves it when it is needed".to_owned();
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

/// Returns a line with a name in front. Further lines of the value stand below it, so that none looks like a line with a name.
pub(super) fn line(name: &str, value: &str) -> String {
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
