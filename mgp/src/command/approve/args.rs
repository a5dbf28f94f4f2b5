//! The arguments of `mgp approve`.

use super::scope::ScopeArgs;
use crate::{duration::duration, error::CliError};
use clap::Args;
use std::time::Duration;

/// Decide on permissions that servers need, on calls that need confirmation, and on servers that agents request
///
/// Without an argument, lists the open questions. Running gateways apply an answer at once: a waiting call continues, and
/// a refused call succeeds when it is made again.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The id of a question, or a server; run without arguments to list the questions
    #[arg(value_name = "ID|SERVER")]
    pub(super) target: Option<String>,
    /// The permission, if the target is a server; without it, all open questions of the server. Further ids, if the target is a
    /// question about a call
    #[arg(value_name = "PERMISSION|ID")]
    pub(super) more: Vec<String>,
    /// Deny instead of approving
    #[arg(long, conflicts_with_all = ["revoke", "lifetime", "always", "session", "like"])]
    pub(super) deny: bool,
    /// Take the decision back; the next call asks again
    #[arg(long, conflicts_with_all = ["lifetime", "always", "session", "like"])]
    pub(super) revoke: bool,
    /// Decide only what is still open: a decision that somebody else made meanwhile stands, and this one fails
    #[arg(long, conflicts_with_all = ["revoke", "show", "preview", "follow"])]
    pub(super) open: bool,
    /// Duration for which the approval is valid, such as 8h or 7d. By default, a call is approved once, and a
    /// permission for permissions.grant_lifetime_secs of the configuration
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, conflicts_with = "always")]
    pub(super) lifetime: Option<Duration>,
    /// Approve without end; for a call, applies to exactly these arguments, or to those of --like
    #[arg(long)]
    pub(super) always: bool,
    /// Approve a call until the host's session ends; applies to exactly these arguments, or to those of --like
    #[arg(long, conflicts_with_all = ["lifetime", "always"])]
    pub(super) session: bool,
    /// Approve a call for other arguments too, such as --like 'git log *'. `*` matches plain words, including options, but
    /// no second command; NAME=PATTERN names the argument, and a single `*` matches every call. Needs --session, --for or
    /// --always
    #[arg(long, value_name = "PATTERN")]
    pub(super) like: Vec<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    /// Show which earlier calls the pattern of --like covers, and decide nothing
    #[arg(long, requires = "like", conflicts_with_all = ["deny", "revoke", "lifetime", "always", "session", "show", "all", "follow"])]
    pub(super) preview: bool,
    /// Show the full call of a question, and decide nothing
    #[arg(long, conflicts_with_all = ["deny", "revoke", "lifetime", "always", "session", "like", "all"])]
    pub(super) show: bool,
    /// Also list decisions
    #[arg(long)]
    pub(super) all: bool,
    /// Keep running, and print each question and its outcome as they arise, until Ctrl-C
    #[arg(long, conflicts_with_all = ["target", "deny", "revoke", "lifetime", "always", "session", "like", "show", "all"])]
    pub(super) follow: bool,
}

impl ApproveArgs {
    /// Returns whether permissions are approved without limits and without `--unlimited`.
    pub(super) fn decides_without_limits(&self) -> bool {
        !self.deny && !self.revoke && self.scope.is_empty() && !self.scope.unlimited
    }

    /// Returns whether an option is given that only applies to decisions.
    pub(super) fn decides(&self) -> bool {
        !self.more.is_empty()
            || self.deny
            || self.revoke
            || self.open
            || self.lifetime.is_some()
            || self.always
            || self.scope.says_something()
            || self.decides_a_call()
    }

    /// Returns whether an option is given that only applies to decisions on calls.
    pub(super) fn decides_a_call(&self) -> bool {
        self.session || !self.like.is_empty()
    }

    /// Returns the permission that follows a server.
    pub(super) fn permission(&self) -> Option<&str> {
        self.more.first().map(String::as_str)
    }

    /// Returns the ids of the given questions about calls.
    ///
    /// # Errors
    /// If anything but such an id is among them.
    pub(super) fn calls<'a>(&'a self, first: &'a str) -> Result<Vec<&'a str>, CliError> {
        if let Some(other) = self.more.iter().find(|id| !id.starts_with("conf-")) {
            return Err(CliError::usage(format!(
                "a question about a call needs no permission behind its id: expected further ids such as conf-..., found {other:?}"
            )));
        }
        if !self.like.is_empty() && !self.more.is_empty() {
            return Err(CliError::usage("--like is about the arguments of one call: expected one id"));
        }
        Ok(std::iter::once(first).chain(self.more.iter().map(String::as_str)).collect())
    }
}
