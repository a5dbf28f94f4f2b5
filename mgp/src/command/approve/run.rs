//! The arguments of `mgp approve`.

use super::{
    calls::{self, CallRow},
    definitions::held,
    follow::follow,
    permissions::{self, PermissionLine, UnreadableRow},
    preview::preview,
    scope::ScopeArgs,
    servers::{self, ServerRow},
};
use crate::{
    command::tools::DefinitionRow,
    duration::duration,
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_kernel::Registrar;
use mgp_security::{
    audit::AuditLog,
    definition::Definitions,
    permission::{Confirmations, Permissions},
};
use serde::Serialize;
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
    more: Vec<String>,
    /// Deny instead of approving
    #[arg(long, conflicts_with_all = ["revoke", "lifetime", "always", "session", "like"])]
    pub(super) deny: bool,
    /// Take the decision back; the next call asks again
    #[arg(long, conflicts_with_all = ["lifetime", "always", "session", "like"])]
    pub(super) revoke: bool,
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
    preview: bool,
    /// Show the full call of a question, and decide nothing
    #[arg(long, conflicts_with_all = ["deny", "revoke", "lifetime", "always", "session", "like", "all"])]
    show: bool,
    /// Also list decisions
    #[arg(long)]
    all: bool,
    /// Keep running, and print each question and its outcome as they arise, until Ctrl-C
    #[arg(long, conflicts_with_all = ["target", "deny", "revoke", "lifetime", "always", "session", "like", "show", "all"])]
    follow: bool,
}

impl ApproveArgs {
    /// Returns whether permissions are approved without limits and without `--unlimited`.
    pub(super) fn decides_without_limits(&self) -> bool {
        !self.deny && !self.revoke && self.scope.is_empty() && !self.scope.unlimited
    }

    /// Returns whether an option is given that only applies to decisions.
    fn decides(&self) -> bool {
        !self.more.is_empty()
            || self.deny
            || self.revoke
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
    fn calls<'a>(&'a self, first: &'a str) -> Result<Vec<&'a str>, CliError> {
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

/// The JSON form of the answer.
#[derive(Serialize)]
struct Questions {
    permissions: Vec<PermissionLine>,
    confirmations: Vec<CallRow>,
    servers: Vec<ServerRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<DefinitionRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableRow>,
}

pub(crate) async fn run(options: &Options, args: ApproveArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let log = setup.audit()?;
    let queue = Queue::open(&setup, &log).await?;
    let Queue { permissions, confirmations, registrar, .. } = &queue;
    let request = servers::request(registrar, args.target.as_deref()).await?;
    let outcome = match args.target.as_deref() {
        None | Some("list") if args.show => {
            Err(CliError::usage("--show needs the id of a question, such as conf-...; see `mgp approve`"))
        }
        None | Some("list") if args.decides() => Err(CliError::usage(
            "a decision needs the id of a question, or a server and its permission; see `mgp approve`",
        )),
        None if args.follow => follow(options, &queue).await,
        None | Some("list") => list(&setup, &queue, args.all).await,
        Some(id) if args.scope.says_something() && (id.starts_with("conf-") || request.is_some()) => {
            Err(CliError::usage("--path, --host, --port, --program and --unlimited are only for permissions"))
        }
        Some(id) if id.starts_with("conf-") => {
            let selection = args.calls(id);
            match selection {
                Err(error) => Err(error),
                Ok(selection) if args.show => calls::show(confirmations, &selection).await,
                Ok(_) if args.preview => preview(&setup, confirmations, id, &args.like).await,
                Ok(selection) => calls::decide(confirmations, &selection, &args).await,
            }
        }
        Some(_) if args.more.len() > 1 => {
            Err(CliError::usage("only ids of questions about calls, such as conf-..., stand together"))
        }
        Some(target) => match request {
            Some(id) if args.show => servers::show(registrar, &id).await,
            Some(id) => Box::pin(servers::decide(registrar, &id, &args)).await,
            None if args.show => Err(CliError::usage(
                "--show is for calls and new servers, whose ids begin with conf- and reg-; see `mgp approve`",
            )),
            None => {
                let asked = (permissions, confirmations);
                permissions::decide(asked, target, &args, setup.grant_lifetime()).await
            }
        },
    };
    log.flush().await.map_err(CliError::failed)?;
    if outcome.as_ref().is_err_and(|error| error.exit == Exit::NotFound) {
        setup.note_demo();
    }
    outcome
}

/// Everything that needs a decision of the operator.
pub(super) struct Queue {
    pub(super) permissions: Permissions,
    pub(super) confirmations: Confirmations,
    pub(super) registrar: Registrar,
    pub(super) definitions: Definitions,
}

impl Queue {
    /// Opens the open questions in the state folder.
    pub(super) async fn open(setup: &Setup, log: &AuditLog) -> Result<Self, CliError> {
        Ok(Self {
            permissions: setup.permissions(log).await?,
            confirmations: setup.confirmations(log)?,
            registrar: setup.registrar(log).await?,
            definitions: setup.definitions(log).await?,
        })
    }
}

async fn list(setup: &Setup, queue: &Queue, all: bool) -> Result<Outcome, CliError> {
    let Queue { permissions, confirmations, registrar, .. } = queue;
    let definitions = held(&queue.definitions).await?;
    let (mut rows, calls) = if all {
        (permissions.rows().await?, confirmations.rows().await?)
    } else {
        (permissions.pending().await?, confirmations.pending().await?)
    };
    // If no command can approve permissions, questions about them are not shown to the operator.
    if let Some(sentence) = permissions.config_only("SERVER").filter(|_| !all && !rows.is_empty()) {
        let (count, are) = if rows.len() == 1 { ("1 permission", "is") } else { ("some permissions", "are") };
        note(&format!("{count} that servers need {are} not decided, and {sentence}; --all shows them"));
        rows.clear();
    }
    let mut requests = registrar.requests().await?;
    requests.retain(|row| all || row.denied_by.is_none());
    let unreadable = permissions.unreadable();
    unreadable.iter().for_each(permissions::note_unreadable);
    let nothing = rows.is_empty() && calls.is_empty() && requests.is_empty() && definitions.is_empty();
    if nothing && unreadable.is_empty() {
        note(if all { "nothing was asked yet" } else { "no question is open; --all shows decisions" });
        setup.note_demo();
    }
    let groups = calls::groups(&calls);
    let shown = Questions {
        permissions: rows.iter().map(PermissionLine::from).collect(),
        confirmations: groups.iter().flat_map(calls::CallGroup::rows).collect(),
        servers: requests.iter().map(ServerRow::from).collect(),
        definitions,
        unreadable: unreadable.into_iter().map(UnreadableRow::from).collect(),
    };
    let mut parts = Vec::new();
    if !rows.is_empty() {
        parts.push(permissions::text(&shown.permissions));
    }
    parts.extend(groups.iter().map(calls::CallGroup::text));
    parts.extend(requests.iter().map(servers::described));
    parts.extend(shown.definitions.iter().map(DefinitionRow::question));
    Outcome::new(parts.join("\n\n"), &shown)
}
