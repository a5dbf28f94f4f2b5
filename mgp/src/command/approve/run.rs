//! The arguments of `mgp approve`.

use super::{
    calls::{self, CallRow},
    permissions::{self, PermissionLine, UnreadableRow},
};
use crate::{
    args::Options,
    duration::duration,
    error::CliError,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_security::permission::{Confirmations, Permissions};
use serde::Serialize;
use std::time::Duration;

/// Decide on permissions that servers need, and on calls that want to be confirmed
///
/// Without an argument, shows the questions that nobody has answered. A running kernel picks an answer up at once: a call
/// that waits for it goes on, and one that was refused meanwhile goes through when it is made again.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The id of a question, or a server; `list` shows the questions
    #[arg(value_name = "ID|SERVER")]
    pub(super) target: Option<String>,
    /// The permission, where the target is a server; all of its open questions without it
    pub(super) permission: Option<String>,
    /// Deny instead
    #[arg(long, conflicts_with_all = ["revoke", "lifetime", "always"])]
    pub(super) deny: bool,
    /// Take the decision back instead: the next call asks again
    #[arg(long, conflicts_with_all = ["lifetime", "always"])]
    pub(super) revoke: bool,
    /// For how long, such as 8h or 7d. Otherwise a call is approved once, and a permission as the configuration's
    /// permissions.grant_lifetime_secs says
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, conflicts_with = "always")]
    pub(super) lifetime: Option<Duration>,
    /// Without end; of a call, each time with exactly these arguments
    #[arg(long)]
    pub(super) always: bool,
    /// Show the call of a question whole, and decide nothing
    #[arg(long, conflicts_with_all = ["deny", "revoke", "lifetime", "always", "all"])]
    show: bool,
    /// Show decisions too
    #[arg(long)]
    all: bool,
}

impl ApproveArgs {
    /// Returns whether there is something that only a decision needs.
    fn decides(&self) -> bool {
        self.permission.is_some() || self.deny || self.revoke || self.lifetime.is_some() || self.always
    }
}

/// The answer for programs.
#[derive(Serialize)]
struct Questions {
    permissions: Vec<PermissionLine>,
    confirmations: Vec<CallRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableRow>,
}

pub(crate) async fn run(options: &Options, args: ApproveArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options)?;
    let log = setup.audit()?;
    let permissions = setup.permissions(&log).await?;
    let confirmations = setup.confirmations(&log)?;
    let outcome = match args.target.as_deref() {
        None | Some("list") if args.show => {
            Err(CliError::usage("--show needs the id of a question, such as conf-...; see `mgp approve`"))
        }
        None | Some("list") if args.decides() => Err(CliError::usage(
            "a decision needs the id of a question, or a server and its permission; see `mgp approve`",
        )),
        None | Some("list") => list(&permissions, &confirmations, args.all).await,
        Some(id) if id.starts_with("conf-") => match &args.permission {
            Some(_) => Err(CliError::usage("a question about a call needs no permission behind its id")),
            None if args.show => calls::show(&confirmations, id).await,
            None => calls::decide(&confirmations, id, &args).await,
        },
        Some(_) if args.show => {
            Err(CliError::usage("--show is for calls, whose ids begin with conf-; see `mgp approve`"))
        }
        Some(target) => {
            permissions::decide((&permissions, &confirmations), target, &args, setup.grant_lifetime()).await
        }
    };
    log.flush().await.map_err(CliError::failed)?;
    outcome
}

async fn list(
    permissions: &Permissions,
    confirmations: &Confirmations,
    all: bool,
) -> Result<Outcome, CliError> {
    let (mut rows, calls) = if all {
        (permissions.rows().await?, confirmations.rows().await?)
    } else {
        (permissions.pending().await?, confirmations.pending().await?)
    };
    // What no command can approve is no question to the operator.
    if let Some(sentence) = permissions.config_only("SERVER").filter(|_| !all && !rows.is_empty()) {
        let (count, are) = if rows.len() == 1 { ("1 permission", "is") } else { ("some permissions", "are") };
        note(&format!("{count} that servers need {are} not decided, and {sentence}; --all shows them"));
        rows.clear();
    }
    let unreadable = permissions.unreadable();
    unreadable.iter().for_each(permissions::note_unreadable);
    if rows.is_empty() && calls.is_empty() && unreadable.is_empty() {
        note(if all { "nothing was asked yet" } else { "no question is open; --all shows decisions" });
    }
    let shown = Questions {
        permissions: rows.iter().map(PermissionLine::from).collect(),
        confirmations: calls.iter().map(CallRow::from).collect(),
        unreadable: unreadable.into_iter().map(UnreadableRow::from).collect(),
    };
    let mut parts = Vec::new();
    if !rows.is_empty() {
        parts.push(permissions::text(&shown.permissions));
    }
    parts.extend(calls.iter().map(calls::arguments_on_screen));
    Outcome::new(parts.join("\n\n"), &shown)
}
