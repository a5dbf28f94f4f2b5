//! A check, and its area.

use crate::{outcome::Outcome, visit::Visit};
use futures_util::future::BoxFuture;
use std::fmt;

/// An area of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// The handshake, ping, and rules for every request.
    Basics,
    /// The form of each message.
    Messages,
    /// Lists and their pages.
    Lists,
    /// Schemas, and values that must fit them.
    Schemas,
    /// Errors and their reports.
    Errors,
    /// The sections of MGP that were negotiated.
    Mgp,
    /// Repeated calls.
    Idempotency,
    /// Permissions, and the query whether a call would be allowed.
    Scopes,
    /// Progress and partial results.
    Streaming,
    /// The same server toward a plain client.
    Degradation,
}

impl Area {
    /// Returns the name of the area, which is the prefix of its checks' ids.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Basics => "basics",
            Self::Messages => "messages",
            Self::Lists => "lists",
            Self::Schemas => "schemas",
            Self::Errors => "errors",
            Self::Mgp => "mgp",
            Self::Idempotency => "idempotency",
            Self::Scopes => "scopes",
            Self::Streaming => "streaming",
            Self::Degradation => "degradation",
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

pub(crate) type Run = for<'a> fn(&'a mut Visit) -> BoxFuture<'a, Outcome>;

/// A check of one rule.
#[derive(Clone, Copy)]
pub struct Check {
    /// The id: the area, a dot, and a name.
    pub id: &'static str,
    /// The area.
    pub area: Area,
    /// The rule, in one sentence.
    pub rule: &'static str,
    /// The source of the rule: a page of MCP, a section of MGP, or a proposal.
    pub of: &'static str,
    pub(crate) run: Run,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("id", &self.id).finish_non_exhaustive()
    }
}
