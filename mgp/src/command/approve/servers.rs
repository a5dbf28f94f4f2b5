//! Servers that agents request.

use super::{
    args::ApproveArgs,
    earlier::{EarlierDecision, of_gone},
};
use crate::{
    command::{
        known::{id_in_table, known_id},
        servers::registered,
    },
    error::CliError,
    exit::Exit,
    operator::operator,
    output::{Outcome, on_one_line},
    setup::Setup,
};
use mgp_discovery::{
    config::{ServerConfig, Text},
    registration::{Registration, RequestedServer},
};
use mgp_kernel::{self, Registrar};
use mgp_types::json::{RawJson, RawObject};
use serde::Serialize;
use std::collections::BTreeMap;

/// A request for a server, as JSON.
#[derive(Serialize)]
pub(super) struct ServerRow {
    request_id: String,
    agent_id: String,
    server_id: String,
    state: &'static str,
    /// The full settings that the server would be started with.
    asked_for: RawJson,
    asked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    denied_by: Option<String>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct ServerRows {
    servers: Vec<ServerRow>,
}

impl From<&RequestedServer> for ServerRow {
    fn from(row: &RequestedServer) -> Self {
        let Registration { server, created_by, created_at, .. } = &row.registration;
        Self {
            request_id: row.request_id.clone(),
            agent_id: created_by.clone(),
            server_id: server.id.clone(),
            state: if row.denied_by.is_some() { "denied" } else { "open" },
            asked_for: asked_for(row),
            asked_at: created_at.clone(),
            denied_by: row.denied_by.clone(),
        }
    }
}

/// Returns the text of a request as shown in a list.
pub(super) fn described(row: &RequestedServer) -> String {
    let shown = mgp_kernel::arguments_on_screen(&asked_for(row));
    let mut text = with_server(row, &shown.text);
    if !shown.whole {
        text.push_str(&format!("\n  all of it: `mgp approve {} --show`", row.request_id));
    }
    text
}

fn with_server(row: &RequestedServer, server: &str) -> String {
    let Registration { server: ServerConfig { id, .. }, created_by, created_at, .. } = &row.registration;
    let name = on_one_line;
    let state = match &row.denied_by {
        Some(by) => format!("denied by {by}"),
        None => "open".to_owned(),
    };
    format!(
        "{}  {}\n  server:    {} (new; it would be sandboxed)\n  agent:     {}\n  asked:     {created_at}\n  asks for:  {}",
        id_in_table(&row.request_id),
        name(&state),
        name(id),
        name(created_by),
        server.replace('\n', "\n  ")
    )
}

/// Returns the full settings that the server would be started with. The agent supplied the values of its environment.
fn asked_for(row: &RequestedServer) -> RawJson {
    let Registration { server, justification, .. } = &row.registration;
    let command: Vec<_> = server.command.iter().chain(&server.args).map(Text::value).collect();
    let env: BTreeMap<_, _> = server.env.iter().map(|(name, value)| (name, value.reveal())).collect();
    let settings = server.settings();
    let mut object = RawObject::new();
    for (name, value) in [
        ("command", (!command.is_empty()).then(|| RawJson::from_value(&command))),
        ("url", server.url.as_ref().map(|url| Ok(RawJson::string(url.value())))),
        ("env", (!env.is_empty()).then(|| RawJson::from_value(&env))),
        (
            "permissions",
            (!settings.permissions_required.is_empty())
                .then(|| RawJson::from_value(&settings.permissions_required)),
        ),
        ("why", justification.as_deref().map(|why| Ok(RawJson::string(why)))),
    ] {
        if let Some(Ok(value)) = value {
            object.insert(name, value);
        }
    }
    object.to_json()
}

/// Answers a request, or takes back its denial.
pub(super) async fn decide(
    (setup, registrar): (&Setup, &Registrar),
    id: &str,
    args: &ApproveArgs,
) -> Result<Outcome, CliError> {
    if args.permission().is_some() || args.lifetime.is_some() || args.always || args.decides_a_call() {
        return Err(CliError::usage(
            "a request for a server is approved as it is, or denied: expected no other options",
        ));
    }
    let by = operator();
    if args.open
        && let Some(error) = earlier(registrar, id).await?
    {
        return Err(error);
    }
    let (row, sentence) = if args.revoke {
        let row = registrar.forget_request(id, &by).await?.ok_or_else(|| unknown(id))?;
        let sentence = format!("{} is undecided again: the agent may ask anew", row.registration.id());
        (row, sentence)
    } else if args.deny {
        let row = if args.open {
            match registrar.deny_open_request(id, &by).await {
                Ok(Some(row)) => row,
                Ok(None) => return Err(lost((setup, registrar), id, unknown(id)).await),
                Err(error) => return Err(lost((setup, registrar), id, error.into()).await),
            }
        } else {
            registrar.deny_request(id, &by).await?
        };
        let sentence =
            format!("{} is denied to {}", row.registration.id(), on_one_line(&row.registration.created_by));
        (row, sentence)
    } else {
        let row = find(registrar, id).await?;
        let registration = match registrar.approve_request(id, &by).await {
            Err(error) if args.open => return Err(lost((setup, registrar), id, error.into()).await),
            registration => registration?,
        };
        let sentence = registered(&registration, &registrar.undecided(&registration));
        (row, sentence)
    };
    let state = match (args.revoke, args.deny) {
        (true, _) => "undecided",
        (_, true) => "denied",
        _ => "approved",
    };
    let shown = ServerRows { servers: vec![ServerRow { state, ..ServerRow::from(&row) }] };
    Outcome::new(sentence, &shown)
}

/// Returns the error of a decision on a request that is denied already.
async fn earlier(registrar: &Registrar, id: &str) -> Result<Option<CliError>, CliError> {
    let requests = registrar.requests().await?;
    let denied = requests.into_iter().find(|row| row.request_id == id && row.denied_by.is_some());
    Ok(denied.map(|row| {
        EarlierDecision {
            question: format!("the request for server {} ({id})", row.registration.id()),
            decision: "denied".to_owned(),
            by: row.denied_by,
            at: None,
            revoked_by: Some(format!("mgp approve {id} --revoke")),
        }
        .error()
    }))
}

/// Returns the error of a failed decision: the decision that was first, if there is one.
async fn lost((setup, registrar): (&Setup, &Registrar), id: &str, error: CliError) -> CliError {
    match (earlier(registrar, id).await, find(registrar, id).await) {
        (Ok(Some(first)), _) => first,
        (_, Err(gone)) if gone.exit == Exit::NotFound => of_gone(setup, id, error).await,
        _ => error,
    }
}

/// Shows a full request.
pub(super) async fn show(registrar: &Registrar, id: &str) -> Result<Outcome, CliError> {
    let row = find(registrar, id).await?;
    let text = with_server(&row, &mgp_kernel::arguments_in_full(&asked_for(&row)));
    Outcome::new(text, &ServerRows { servers: vec![ServerRow::from(&row)] })
}

/// Returns the id of the request with this id, or with an unambiguous beginning of it. `None` if the text can be the name of a
/// server.
///
/// # Errors
/// If no request matches, if several match, or if the beginning is too short.
pub(super) async fn request(registrar: &Registrar, target: Option<&str>) -> Result<Option<String>, CliError> {
    let Some(given) = target.filter(|target| target.starts_with("reg-")) else { return Ok(None) };
    let requests = registrar.requests().await?;
    match known_id("request", given, requests.iter().map(|row| row.request_id.as_str())) {
        Ok(id) => Ok(Some(id.to_owned())),
        Err(_) if RequestedServer::is_request_id(given) => Err(unknown(given)),
        Err(problem) if requests.iter().any(|row| row.request_id.starts_with(given)) => {
            Err(CliError::usage(problem))
        }
        Err(_) => Ok(None),
    }
}

async fn find(registrar: &Registrar, id: &str) -> Result<RequestedServer, CliError> {
    let requests = registrar.requests().await?;
    requests.into_iter().find(|row| row.request_id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> CliError {
    let problem = format!(
        "no request for a server has the id {id:?}: it was decided, taken back, replaced by a later one, or forgotten after a day"
    );
    CliError::new(Exit::NotFound, problem).help("see `mgp approve --all`")
}
