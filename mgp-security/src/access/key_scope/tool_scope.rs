//! One scope of an API key.

use crate::name_pattern::NamePattern;
use mgp_types::context::ToolId;
use std::str::FromStr;

/// One scope of an API key: narrows the tools that the key's agent may call.
///
/// A scope is the id of a server, or `server__tool`; `*` stands for any text. With the prefix `read:`, only tools that are known to
/// change nothing count. With the prefix `write:` or none, all tools count.
///
/// ```
/// use mgp_security::access::ToolScope;
///
/// assert!("read:github".parse::<ToolScope>().is_ok() && "files__read_*".parse::<ToolScope>().is_ok());
/// assert!("temp:30min".parse::<ToolScope>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolScope {
    reads: bool,
    server: NamePattern,
    tool: Option<NamePattern>,
}

/// The error returned for a text that is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a scope: expected the id of a server or server__tool, with `*` for any text, with an optional prefix `read:` or `write:`"
)]
pub struct InvalidToolScope(String);

/// The longest name in a scope, in bytes.
const MAX_NAME: usize = 256;

impl FromStr for ToolScope {
    type Err = InvalidToolScope;

    fn from_str(text: &str) -> Result<Self, InvalidToolScope> {
        let invalid = || InvalidToolScope(text.chars().take(100).collect());
        let (reads, name) = match text.split_once(':') {
            Some(("read", name)) => (true, name),
            Some(("write", name)) => (false, name),
            Some(_) => return Err(invalid()),
            None => (false, text),
        };
        let (server, tool) = match name.split_once("__") {
            Some((server, tool)) => (server, Some(tool)),
            None => (name, None),
        };
        // Spaces separate scopes.
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= MAX_NAME
                && !name.contains(|c: char| c.is_whitespace() || c.is_control())
        };
        if !is_name(server) || !tool.is_none_or(is_name) {
            return Err(invalid());
        }
        Ok(Self { reads, server: NamePattern::new(server), tool: tool.map(NamePattern::new) })
    }
}

impl ToolScope {
    /// Returns whether the scope allows only tools that change nothing.
    pub(super) fn is_for_reading(&self) -> bool {
        self.reads
    }

    /// Returns whether the scope is about a server as a whole: its tools, resources and prompts.
    pub(super) fn is_about_server(&self, server_id: &str) -> bool {
        self.tool.is_none() && self.server.matches(server_id)
    }

    /// Returns whether the scope is about some tools of a server.
    pub(super) fn is_about_tools_of(&self, server_id: &str) -> bool {
        self.server.matches(server_id)
    }

    /// Returns whether the scope is about a tool.
    pub(super) fn is_about(&self, tool: &ToolId) -> bool {
        self.server.matches(&tool.server_id)
            && self.tool.as_ref().is_none_or(|pattern| pattern.matches(&tool.tool_name))
    }
}
