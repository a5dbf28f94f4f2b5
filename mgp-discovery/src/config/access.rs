//! `[access]`, `[[agents]]` and `[roles]`: grants in the file (§5).

use super::Text;
use mgp_types::access::{AccessDecision, AccessEntry, RoleRule};
use serde::{Deserialize, Serialize};

/// The `[access]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// The grants, which state the tools that agents may call.
    pub grants: Vec<Grant>,
    /// A file with policies in the language Cedar, which decide where no grant does: see [Policy
    /// file](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#policy-file). A relative path starts at the folder of this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_file: Option<Text>,
    /// Agents that may register servers while the gateway runs, see
    /// [Registrars](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#registrars).
    pub registrars: Vec<String>,
    /// True if a call of a tool that the agent may not use is answered as if there were no such tool, see [Concealed
    /// tools](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#concealed-tools). Default: true for agents over HTTP, false for hosts on
    /// stdio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conceal: Option<bool>,
}

/// One entry of `access.grants`. In the names of the server and the tool, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The agent that may call.
    pub agent: String,
    /// The id of a server of this file, or a pattern of ids.
    pub server: String,
    /// The tool, by its server's own name, or a pattern of tools. Default: all of the server's tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The rule for the agent: `allow` lets it use the tool, and `deny` refuses the tool.
    #[serde(default = "allow", skip_serializing_if = "allows")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "allow")))]
    pub permission: AccessDecision,
}

/// One `[roles.NAME]` table: a set of grants that agents have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// The grants.
    pub grants: Vec<RoleGrant>,
}

/// One entry of `roles.NAME.grants`. In the names of the server and the tool, `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct RoleGrant {
    /// The id of a server of this file, or a pattern of ids.
    pub server: String,
    /// The tool, or a pattern of tools. Default: all of the server's tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The rule for agents with the role: `allow` lets them use the tool, and `deny` refuses the tool.
    #[serde(default = "allow", skip_serializing_if = "allows")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = "allow")))]
    pub permission: AccessDecision,
}

/// One `[[agents]]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The id of an agent that has roles. Unique. The default policies apply to it.
    pub id: String,
    /// The names of its roles.
    #[serde(default)]
    pub roles: Vec<String>,
}

impl From<&Grant> for AccessEntry {
    /// Converts a grant into the rule that it states.
    ///
    /// ```
    /// use mgp_discovery::config::Config;
    /// use mgp_types::access::AccessEntry;
    ///
    /// let text = r#"
    ///     servers = [{ id = "clock", command = "clock-server" }]
    ///     [access]
    ///     grants = [
    ///       { agent = "ann", server = "clock" },
    ///       { agent = "ann", server = "clock", tool = "alarm", permission = "deny" },
    ///     ]
    /// "#;
    /// let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None)?;
    /// let rules: Vec<AccessEntry> = config.access.grants.iter().map(AccessEntry::from).collect();
    /// let of_clock = AccessEntry::allow("ann").server("clock");
    /// assert_eq!(rules, [of_clock, AccessEntry::deny("ann").server("clock").tool("alarm")]);
    /// # Ok::<(), mgp_discovery::config::ConfigError>(())
    /// ```
    fn from(grant: &Grant) -> Self {
        let of_server = Self::allow(&*grant.agent).server(&*grant.server);
        let rule = match &grant.tool {
            Some(tool) => of_server.tool(&**tool),
            None => of_server,
        };
        Self { permission: Some(grant.permission), ..rule }
    }
}

impl From<&RoleGrant> for RoleRule {
    fn from(grant: &RoleGrant) -> Self {
        Self { server_id: grant.server.clone(), tool_name: grant.tool.clone(), permission: grant.permission }
    }
}

impl From<&str> for AgentConfig {
    /// Creates the entry of an agent without roles.
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), roles: Vec::new() }
    }
}

impl From<RoleRule> for RoleGrant {
    fn from(rule: RoleRule) -> Self {
        Self { server: rule.server_id, tool: rule.tool_name, permission: rule.permission }
    }
}

impl FromIterator<RoleRule> for RoleConfig {
    fn from_iter<I: IntoIterator<Item = RoleRule>>(rules: I) -> Self {
        Self { grants: rules.into_iter().map(RoleGrant::from).collect() }
    }
}

const fn allow() -> AccessDecision {
    AccessDecision::Allow
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn allows(permission: &AccessDecision) -> bool {
    *permission == AccessDecision::Allow
}
