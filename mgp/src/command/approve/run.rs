//! `mgp approve`: lists questions, and takes decisions.

use super::{
    args::ApproveArgs,
    calls::{self, CallRow},
    definitions::held,
    earlier::of_gone,
    follow::follow,
    permissions::{self, PermissionLine, UnreadableRow},
    preview::preview,
    queue::Queue,
    servers::{self, ServerRow},
};
use crate::{
    command::tools::DefinitionRow,
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use serde::Serialize;

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
    let request = match servers::request(registrar, args.target.as_deref()).await {
        Err(error) if args.open && error.exit == Exit::NotFound => {
            return Err(of_gone(&setup, args.target.as_deref().unwrap_or_default(), error).await);
        }
        request => request?,
    };
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
                Ok(selection) => calls::decide((&setup, confirmations), &selection, &args).await,
            }
        }
        Some(_) if args.more.len() > 1 => {
            Err(CliError::usage("only ids of questions about calls, such as conf-..., stand together"))
        }
        Some(target) => match request {
            Some(id) if args.show => servers::show(registrar, &id).await,
            Some(id) => Box::pin(servers::decide((&setup, registrar), &id, &args)).await,
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
