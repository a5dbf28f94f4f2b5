//! The scopes of API keys.

use crate::name_pattern::NamePattern;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, Scopes, TokenGrant, ToolCall};
use mgp_types::{
    context::ToolId,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::{fmt, str::FromStr};

/// The most scopes that a key may have.
pub const MAX_SCOPES: usize = 64;

/// One scope of an API key: the tools that the key may call, of those that its agent may call.
///
/// A scope is the id of a server, or `server__tool`; `*` stands for any text. With `read:` before it, only tools that are known to change
/// nothing count; `write:` says that all do, as without either.
///
/// ```
/// use mgp_security::scope::ToolScope;
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

/// The error returned for a text that is no scope of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no scope: expected the id of a server or server__tool, with `*` for any text, and `read:` or `write:` before it or neither"
)]
pub struct InvalidToolScope(String);

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
        // What is no scope of OAuth either would be left out of a list of scopes.
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= 256
                && name.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
        };
        if !is_name(server) || !tool.is_none_or(is_name) {
            return Err(invalid());
        }
        Ok(Self { reads, server: NamePattern::new(server), tool: tool.map(NamePattern::new) })
    }
}

impl ToolScope {
    /// Returns whether the scope allows a tool, which is known to change nothing if `reads_only`.
    #[must_use]
    pub fn allows(&self, tool: &ToolId, reads_only: bool) -> bool {
        (reads_only || !self.reads) && self.is_about(tool)
    }

    fn is_about(&self, tool: &ToolId) -> bool {
        self.server.matches(&tool.server_id)
            && self.tool.as_ref().is_none_or(|pattern| pattern.matches(&tool.tool_name))
    }
}

/// The gate that refuses calls of tools that the scopes of the caller's API key do not allow. A caller without a named key, or with a key
/// without scopes, passes. Stands after access, so that it tells nothing of tools that the agent may not see.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyScope;

impl Judge for KeyScope {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Some(who) = call.granted().map(TokenGrant::who) else { return Decision::Allow };
        let Some(key) = who.key.as_deref().filter(|_| !who.scopes.is_empty()) else { return Decision::Allow };
        let (tool, reads_only) = (&call.target.tool, call.profile.reads_only);
        // A scope that cannot be read allows nothing.
        let scopes: Vec<ToolScope> = who.scopes.iter().filter_map(|scope| scope.parse().ok()).collect();
        if scopes.iter().any(|scope| scope.allows(tool, reads_only)) {
            return Decision::Allow;
        }
        let may_read = scopes.iter().any(|scope| scope.is_about(tool));
        Refusal::new(RefusalKind::Access, refused(call, key, &who.scopes, may_read)).into()
    }
}

/// The words for what a key can do.
struct Abilities<'a>(&'a Scopes);

impl fmt::Display for Abilities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, scope) in self.0.iter().enumerate() {
            let (verb, name) = match scope.split_once(':') {
                Some(("read", name)) => ("read", name),
                Some((_, name)) => ("use", name),
                None => ("use", scope),
            };
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{verb} {name}")?;
        }
        Ok(())
    }
}

fn refused(call: &ToolCall, key: &str, scopes: &Scopes, may_read: bool) -> ErrorObject {
    let (tool, called_as) = (&call.target.tool, &call.target.called_as);
    let full = format!("{}__{}", tool.server_id, tool.tool_name);
    let cannot = if may_read { format!("write with {full}") } else { format!("use {full}") };
    let message = format!(
        "the API key {key:?} does not allow tool {called_as:?}: it can {}; it cannot {cannot}; \
         the operator makes a key that can with `mgp keys add NAME --agent {} --scope {full}`",
        Abilities(scopes),
        call.principal.id()
    );
    let mut details = RawObject::new();
    details.insert("key", RawJson::string(key));
    details.insert("scopes", RawJson::string(&scopes.to_string()));
    details.insert("missing_scope", RawJson::string(&full));
    ErrorCode::AccessDenied.error_with(message, Recovery::of(ErrorCode::AccessDenied).with_details(details))
}
