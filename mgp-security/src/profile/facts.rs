//! The facts by which a tool is judged.

use super::{Confirmation, DefinitionHash};
use mgp_types::{
    context::TrustLevel,
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
    permission::Permission,
    tool_security::{SecurityMetadata, ValidatorName},
};
use std::borrow::Cow;

/// The facts about a tool that is listed.
#[derive(Debug, Clone)]
pub struct ToolFacts<'a> {
    /// The trust in its server.
    pub trust: TrustLevel,
    /// The permissions that the server itself declared (§2.3), by name. They count for the tools that declare none.
    pub server_permissions: &'a [String],
    /// The operator's configuration of it.
    pub configured: &'a ConfiguredTool,
    /// The hash of the tool's definition.
    pub definition: DefinitionHash,
    /// The tool's name.
    pub name: &'a str,
    /// The description that its server gives.
    pub description: Option<&'a str>,
    /// The JSON Schema of its arguments.
    pub input_schema: Option<&'a RawJson>,
    /// MCP's own hints.
    pub annotations: Option<&'a ToolAnnotations>,
    /// MGP's metadata; none from a plain MCP server.
    pub security: Option<Cow<'a, SecurityMetadata>>,
    /// Set where the metadata could not be read as a whole. The tool is dangerous then, and the sandbox looks at its calls.
    pub security_unreadable: bool,
}

/// The operator's configuration of a tool, or of every tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfiguredTool {
    /// Permissions that a call needs, whatever the server declares.
    pub permissions: Vec<Permission>,
    /// The validator to apply. A stricter one that the tool declares is applied as well.
    pub validator: Option<ValidatorName>,
    /// Set where the validator is one for all tools of the server, and not for this one: then `sandbox` looks at the strings of
    /// those that take a command.
    pub validator_of_server: bool,
    /// The calls before which somebody is asked. Decides alone, in both directions.
    pub confirmation: Option<Confirmation>,
    /// JSON pointers that narrow what validators look at; empty means every string.
    pub pointers: Vec<String>,
}

impl<'a> ToolFacts<'a> {
    /// The facts that a tool's definition holds, with those of its server, which speaks MGP.
    #[must_use]
    pub fn new(
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        Self::with_hash(DefinitionHash::of(tool), tool, trust, server_permissions, configured)
    }

    /// The same facts of a tool as its server wrote its definition, so that each byte that hosts get counts in its hash.
    #[must_use]
    pub fn of_definition(
        definition: &RawJson,
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        let hash = DefinitionHash::of_definition(definition);
        Self::with_hash(hash, tool, trust, server_permissions, configured)
    }

    fn with_hash(
        definition: DefinitionHash,
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        let unreadable = || tool.other.get("security").map(SecurityMetadata::of_unreadable);
        Self {
            trust,
            server_permissions,
            configured,
            definition,
            name: &tool.name,
            description: tool.description.as_deref(),
            input_schema: tool.input_schema.as_ref(),
            annotations: tool.annotations.as_ref(),
            security: tool.security.as_ref().map(Cow::Borrowed).or_else(|| unreadable().map(Cow::Owned)),
            security_unreadable: tool.security.is_none() && unreadable().is_some(),
        }
    }

    /// The same facts of a tool whose server does not speak MGP: `security` is an unknown member there.
    #[must_use]
    pub fn of_plain_server(self) -> Self {
        Self { security: None, security_unreadable: false, ..self }
    }
}
