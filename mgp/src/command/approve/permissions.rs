//! Questions about permissions of servers.

use super::{args::ApproveArgs, earlier::EarlierDecision};
use crate::{
    command::known::{id_in_table, known_id},
    duration::from_now,
    error::CliError,
    exit::Exit,
    operator::operator,
    output::{Outcome, note, on_one_line, printable, table},
};
use jiff::Timestamp;
use mgp_kernel::command_word;
use mgp_security::permission::{
    Confirmations, OpenDecisionError, PermissionRow, Permissions, UnreadablePermission,
};
use mgp_types::permission::{GrantScope, Permission, PermissionState};
use serde::Serialize;
use std::time::Duration;

/// A question about a permission, or its answer, as JSON.
#[derive(Serialize)]
pub(super) struct PermissionLine {
    request_id: String,
    server_id: String,
    permission: String,
    state: PermissionState,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    asked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<GrantScope>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct DecisionReport {
    permissions: Vec<PermissionLine>,
}

/// A row that cannot be read, as it is shown.
#[derive(Serialize)]
pub(super) struct UnreadableRow {
    server_id: Option<String>,
    permission: Option<String>,
    problem: String,
}

impl From<UnreadablePermission> for UnreadableRow {
    fn from(row: UnreadablePermission) -> Self {
        let permission = row.permission.map(|permission| permission.as_str().to_owned());
        Self { server_id: row.server_id, permission, problem: row.problem }
    }
}

impl From<&PermissionRow> for PermissionLine {
    fn from(row: &PermissionRow) -> Self {
        let ran_out = row.state == PermissionState::Approved
            && row.expires_at.is_some_and(|end| end <= Timestamp::now());
        Self {
            request_id: row.request_id.clone(),
            server_id: row.server_id.clone(),
            permission: row.permission.to_string(),
            state: if ran_out { PermissionState::Expired } else { row.state },
            tool_name: row.tool_name.clone(),
            asked_at: format!("{:.3}", row.asked_at),
            decided_by: row.decided_by.clone(),
            expires_at: row.expires_at.map(|end| format!("{end:.3}")),
            scope: row.scope.clone(),
        }
    }
}

/// Returns one line about a question or its answer.
pub(super) fn sentence_of(line: &PermissionLine) -> String {
    let PermissionLine { request_id, server_id, permission, state, .. } = line;
    let sentence = match (&line.decided_by, &line.tool_name) {
        (Some(by), _) => {
            let limits = limits(line.scope.as_ref());
            format!("{request_id}  {permission} for server {server_id}: {state}{limits} by {by}")
        }
        (None, Some(tool)) => {
            format!(
                "{request_id}  server {server_id} needs {permission} for its tool {tool}: `mgp approve {request_id}`"
            )
        }
        (None, None) => {
            format!("{request_id}  server {server_id} needs {permission}: `mgp approve {request_id}`")
        }
    };
    // The names come from servers, so they must not start a new line.
    printable(&sentence).replace('\n', " ")
}

/// Notes the remedy for a row that cannot be read.
pub(super) fn note_unreadable(row: &UnreadablePermission) {
    let what_to_do = match (&row.server_id, &row.permission) {
        (Some(server), Some(permission)) => {
            format!("decide with `mgp approve {server} {permission}`, or take it back with --revoke")
        }
        _ => {
            "take its row out of the table `permissions` of the state folder's permission.sqlite3".to_owned()
        }
    };
    note(&format!("{row}; {what_to_do}"));
}

/// A table of questions and answers.
pub(super) fn text(rows: &[PermissionLine]) -> String {
    let rows = rows.iter().map(|row| {
        [
            id_in_table(&row.request_id).to_owned(),
            row.server_id.clone(),
            row.permission.clone() + &limits(row.scope.as_ref()),
            row.state.to_string(),
            row.tool_name.clone().unwrap_or_else(|| "-".to_owned()),
            row.decided_by.clone().unwrap_or_else(|| "-".to_owned()),
            row.expires_at.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    });
    table(["id", "server", "permission", "state", "for tool", "decided by", "ends"], rows)
}

/// Answers questions, or takes their answers back.
pub(super) async fn decide(
    (permissions, confirmations): (&Permissions, &Confirmations),
    target: &str,
    args: &ApproveArgs,
    grant_lifetime: Option<Duration>,
) -> Result<Outcome, CliError> {
    if args.decides_a_call() {
        return Err(CliError::usage(
            "--session and --like are for calls, whose ids begin with conf-: a permission is approved with --for or --always",
        ));
    }
    let Some(subjects) = subjects(permissions, target, args).await? else {
        if args.open
            && let Some(row) = latest(permissions, target).await?
        {
            return Err(not_open(OpenDecisionError::Decided(Box::new(row))));
        }
        return Err(nothing_asked(confirmations, target).await?);
    };
    let by = operator();
    let configured = || grant_lifetime.filter(|_| !args.always);
    let lifetime = args.lifetime.or_else(configured);
    let end = lifetime.map(from_now).transpose().map_err(CliError::usage)?;
    let mut shown = DecisionReport { permissions: Vec::new() };
    let mut sentences = Vec::new();
    let scopes = args.scope.of(subjects.iter().map(|(_, permission)| permission))?;
    let limited = if args.decides_without_limits() { permissions.rows().await? } else { Vec::new() };
    if let Some(row) = limited.iter().find(|row| row.scope.is_some() && subjects.contains(&subject(row))) {
        return Err(limits_missing(row));
    }
    for ((server, permission), scope) in subjects.into_iter().zip(scopes) {
        let row = if args.revoke {
            permissions.revoke(&server, &permission, &by).await?.ok_or_else(|| {
                CliError::new(Exit::NotFound, format!("nothing was decided on {permission} for {server}"))
                    .help("see `mgp approve --all`")
            })?
        } else {
            match (args.deny, args.open) {
                (true, true) => permissions.deny_open(&server, &permission, &by).await.map_err(not_open)?,
                (true, false) => permissions.deny(&server, &permission, &by).await?,
                (false, true) => {
                    permissions.grant_open(&server, &permission, &by, end, scope).await.map_err(not_open)?
                }
                (false, false) => permissions.grant_within(&server, &permission, &by, end, scope).await?,
            }
        };
        sentences.push(on_one_line(&sentence(&row, args)));
        shown.permissions.push(PermissionLine::from(&row));
    }
    Outcome::new(sentences.join("\n"), &shown)
}

/// Returns the error of a decision on a permission that is decided already.
fn not_open(error: OpenDecisionError<PermissionRow>) -> CliError {
    let row = match error {
        OpenDecisionError::Decided(row) => row,
        OpenDecisionError::Refused(error) => return (*error).into(),
        other => return CliError::failed(other),
    };
    let PermissionRow { server_id, permission, state, .. } = &*row;
    EarlierDecision {
        question: format!("{permission} for server {server_id}"),
        decision: format!("{state}{}", limits(row.scope.as_ref())),
        by: row.decided_by.clone(),
        at: row.decided_at,
        revoked_by: Some(format!("mgp approve {} --revoke", command_word(&row.request_id))),
    }
    .error()
}

/// Returns the error of an approval that would silently lift the limits of an earlier one.
fn limits_missing(row: &PermissionRow) -> CliError {
    let PermissionRow { server_id, permission, .. } = row;
    let limits = limits(row.scope.as_ref());
    CliError::usage(format!(
        "{permission} of server {server_id} is approved within limits{limits}: expected limits again, or --unlimited"
    ))
}

fn sentence(row: &PermissionRow, args: &ApproveArgs) -> String {
    let (server, permission) = (&row.server_id, &row.permission);
    if args.revoke {
        return format!("{server}: {permission} is undecided again");
    }
    let end = row.expires_at.map(|end| format!(" until {end:.3}")).unwrap_or_default();
    format!("{server}: {permission}{} is {}{end}", limits(row.scope.as_ref()), row.state)
}

/// Returns the limits of an approval, to be shown after its permission.
fn limits(scope: Option<&GrantScope>) -> String {
    scope.map(|scope| format!(" ({scope})")).unwrap_or_default()
}

/// Returns the questions to decide: one by its id, one permission of a server, or all open questions of a server. Empty if no question
/// matches.
async fn subjects(
    permissions: &Permissions,
    target: &str,
    args: &ApproveArgs,
) -> Result<Option<Vec<(String, Permission)>>, CliError> {
    let rows = permissions.rows().await?;
    if let Some(row) = question(&rows, target)? {
        if args.permission().is_some() {
            return Err(CliError::usage("a question is about one permission: expected none after its id"));
        }
        return Ok(Some(vec![subject(row)]));
    }
    if let Some(name) = args.permission() {
        let permissions = Permission::expand(name).map_err(|error| CliError::usage(error.to_string()))?;
        let subjects = permissions.into_iter().map(|permission| (target.to_owned(), permission));
        return Ok(Some(subjects.collect()));
    }
    let asked = |row: &&PermissionRow| {
        let counts = if args.revoke {
            row.state != PermissionState::Deferred
        } else {
            row.state == PermissionState::Deferred
        };
        row.server_id == target && counts
    };
    let found: Vec<_> = rows.iter().filter(asked).map(subject).collect();
    Ok((!found.is_empty()).then_some(found))
}

/// Returns the question with this id, or with an unambiguous beginning of it.
///
/// # Errors
/// If several ids match, or if the beginning is too short.
fn question<'a>(rows: &'a [PermissionRow], target: &str) -> Result<Option<&'a PermissionRow>, CliError> {
    if !target.starts_with("perm-") {
        return Ok(None);
    }
    match known_id("question", target, rows.iter().map(|row| row.request_id.as_str())) {
        Ok(id) => Ok(rows.iter().find(|row| row.request_id == id)),
        Err(problem) if rows.iter().any(|row| row.request_id.starts_with(target)) => {
            Err(CliError::usage(problem))
        }
        // The text may be the name of a server.
        Err(_) => Ok(None),
    }
}

/// Returns the latest decision of an operator on a permission of a server.
async fn latest(permissions: &Permissions, server: &str) -> Result<Option<PermissionRow>, CliError> {
    let rows = permissions.rows().await?.into_iter();
    let decided = rows.filter(|row| row.server_id == server && !row.is_undecided());
    Ok(decided.max_by_key(|row| row.decided_at))
}

/// Returns the server and the permission that a row is about.
fn subject(row: &PermissionRow) -> (String, Permission) {
    (row.server_id.clone(), row.permission.clone())
}

/// The maximum number of questions about calls that one error lists.
const MAX_CALLS: usize = 8;

/// Returns the error for a target without an open question about a permission.
async fn nothing_asked(confirmations: &Confirmations, target: &str) -> Result<CliError, CliError> {
    let open = confirmations.pending().await?;
    let calls = open.into_iter().filter(|row| row.key.server_id == target).take(MAX_CALLS);
    let calls: Vec<String> = calls.map(|row| row.id).collect();
    Ok(if calls.is_empty() {
        CliError::new(Exit::NotFound, format!("{target:?} is neither an open question nor a server with one")).help(
            "see `mgp approve`; name a permission to decide before it is asked for, or to change its decision",
        )
    } else {
        let calls = calls.join(", ");
        CliError::new(
            Exit::NotFound,
            format!("{target:?} has no open question about a permission; its calls: {calls}"),
        )
        .help("decide on a call with `mgp approve ID`; see all of them with `mgp approve`")
    })
}
