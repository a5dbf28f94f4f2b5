//! The facts about a tool that it is judged by.

use super::{Confirmation, CostClaim, DefinitionHash, hash_definition, hash_tool};
use mgp_types::{
    code_safety::CodeSafety,
    context::{RiskLevel, TrustLevel},
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
    permission::Permission,
    tool_metadata::ToolMetadata,
    tool_security::{ReadonlySettings, SandboxSettings, SecurityMetadata, ValidatorName},
};
use std::borrow::Cow;

/// The facts about a tool that it is judged by.
#[derive(Debug, Clone)]
pub struct ToolFacts<'a> {
    /// The trust in the tool's server.
    pub trust: TrustLevel,
    /// The permissions that the server itself declared (§2.3), by name. They apply to tools that declare none.
    pub server_permissions: &'a [String],
    /// The operator's configuration of the tool.
    pub configured: &'a ConfiguredTool,
    /// The hash of the tool's definition.
    pub definition: DefinitionHash,
    /// The tool's name.
    pub name: &'a str,
    /// The server's description of the tool.
    pub description: Option<&'a str>,
    /// The JSON Schema of the arguments.
    pub input_schema: Option<&'a RawJson>,
    /// The hints of MCP.
    pub annotations: Option<&'a ToolAnnotations>,
    /// The security metadata of MGP. `None` for a plain MCP server.
    pub security: Option<Cow<'a, SecurityMetadata>>,
    /// The metadata beyond MCP, which counts for every server, and only makes the assessment stricter.
    pub metadata: ToolMetadata,
    /// True if the security metadata as a whole could not be read. If so, the tool counts as dangerous, and the sandbox checks its calls.
    pub security_unreadable: bool,
    /// The cost that the server claims for a call.
    pub cost: CostClaim,
}

/// The operator's configuration of a tool, or of every tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfiguredTool {
    /// The permissions that a call needs, whatever the server declares.
    pub permissions: Vec<Permission>,
    /// The validator to apply. If the tool declares another one, both apply.
    pub validator: Option<ValidatorName>,
    /// True if the validator was set for all tools of the server, not only for this one. If so, `sandbox` checks the strings of those
    /// tools that take a command.
    pub validator_of_server: bool,
    /// The rules for code, whatever the server declares.
    pub code_safety: Option<CodeSafety>,
    /// The risk, whatever the tool declares and its text states.
    pub risk: Option<RiskLevel>,
    /// The calls that need a confirmation. If set, it overrides the tool's risk and declarations, in both directions.
    pub confirmation: Option<Confirmation>,
    /// True if calls of moderate tools are asked about like those of dangerous ones.
    pub confirm_moderate: bool,
    /// The JSON pointers of the strings that validators check. Empty means every string.
    pub pointers: Vec<String>,
    /// The settings of `sandbox`.
    pub sandbox: SandboxSettings,
    /// The settings of `readonly`.
    pub readonly: ReadonlySettings,
}

impl<'a> ToolFacts<'a> {
    /// Collects the facts from a tool's definition and from its server, which supports MGP.
    #[must_use]
    pub fn new(
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        Self::with_hash(hash_tool(tool), tool, trust, server_permissions, configured)
    }

    /// Collects the same facts, with the hash of the definition as its server wrote it, so that the hash covers everything that hosts get.
    #[must_use]
    pub fn of_definition(
        definition: &RawJson,
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        let hash = hash_definition(definition);
        Self::with_hash(hash, tool, trust, server_permissions, configured)
    }

    fn with_hash(
        definition: DefinitionHash,
        tool: &'a Tool,
        trust: TrustLevel,
        server_permissions: &'a [String],
        configured: &'a ConfiguredTool,
    ) -> Self {
        let metadata = ToolMetadata::of_tool(tool).metadata;
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
            cost: CostClaim::of(&metadata),
            metadata,
        }
    }

    /// Drops the facts that only MGP defines, for a server without MGP: there, `security` is an unknown member.
    #[must_use]
    pub fn of_plain_server(self) -> Self {
        Self { security: None, security_unreadable: false, ..self }
    }
}
