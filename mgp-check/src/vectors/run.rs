//! Sends vectors to a server.

use super::Vector;
use crate::{
    CheckSettings, CheckStatus, CheckTarget,
    outcome::{Miss, quoted},
    session::{Greeting, Session, greet},
    target::VERSION,
};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

/// A vector, its status, and the reason.
type VectorOutcome<'a> = (&'a Vector, CheckStatus, String);

/// Sends each vector's request to a server, in two sessions: a plain one and one that offers MGP. Returns the status and the reason for
/// each vector.
///
/// A notification passes if the server sent some in the session, and all of them are allowed. A vector is skipped in these cases:
/// - the server lacks a feature that it needs,
/// - it would change something, and the settings do not [call all](CheckSettings::call_all),
/// - it was not sent within the longest run of the settings.
///
/// # Errors
/// Returns the reason if no session could be opened.
pub async fn run_vectors<'a>(
    target: &CheckTarget,
    settings: &CheckSettings,
    vectors: &'a [Vector],
) -> Result<Vec<VectorOutcome<'a>>, String> {
    let until = Instant::now() + settings.total;
    let mut outcomes = Vec::new();
    let mut has_session = vectors.is_empty();
    let mut reason = String::new();
    for with_mgp in [false, true] {
        let of_session: Vec<_> = vectors.iter().filter(|vector| vector.mgp == with_mgp).collect();
        if of_session.is_empty() {
            continue;
        }
        match open(target, settings, with_mgp).await {
            Ok((session, greeting)) => {
                has_session = true;
                outcomes.extend(send(session, &greeting, settings, until, of_session).await);
            }
            Err(error) => {
                let failed = |vector| (vector, CheckStatus::Failed, error.clone());
                outcomes.extend(of_session.into_iter().map(failed));
                reason = error;
            }
        }
    }
    if has_session { Ok(outcomes) } else { Err(reason) }
}

async fn open(
    target: &CheckTarget,
    settings: &CheckSettings,
    with_mgp: bool,
) -> Result<(Session, Greeting), String> {
    let mut session = Session::new(target.open(settings.timeout).await?, settings);
    match greet(&mut session, VERSION, with_mgp).await {
        Ok(greeting) => Ok((session, greeting)),
        Err(Miss::Failed(error) | Miss::Skipped(error)) => {
            session.close().await;
            Err(error)
        }
    }
}

/// Sends the requests of one session, and checks the notifications that arrived in the meantime.
async fn send<'a>(
    mut session: Session,
    greeting: &Greeting,
    settings: &CheckSettings,
    until: Instant,
    vectors: Vec<&'a Vector>,
) -> Vec<VectorOutcome<'a>> {
    let mut outcomes = Vec::new();
    let (notifications, requests): (Vec<_>, Vec<_>) =
        vectors.into_iter().partition(|vector| vector.is_notification());
    for vector in requests {
        if let Some(reason) = unsent(vector, greeting, settings) {
            outcomes.push((vector, CheckStatus::Skipped, reason));
            continue;
        }
        let request = session.request(&vector.method, vector.params.clone().unwrap_or_default());
        let Ok(exchange) = timeout_at(until, request).await else {
            let late = format!("the run took longer than {:?}", settings.total);
            outcomes.push((vector, CheckStatus::Skipped, late));
            continue;
        };
        outcomes.push(match vector.judge(&exchange.answer) {
            Ok(()) => (vector, CheckStatus::Passed, exchange.came()),
            Err(problem) => (vector, CheckStatus::Failed, format!("sent {}; {problem}", exchange.sent)),
        });
    }
    for vector in notifications {
        let (status, message) = heard(vector, &session.heard);
        outcomes.push((vector, status, message));
    }
    session.close().await;
    outcomes
}

/// Returns the reason for not sending a request, if there is one.
fn unsent(vector: &Vector, greeting: &Greeting, settings: &CheckSettings) -> Option<String> {
    let has = |name: &str| {
        greeting.extensions().contains(name) || greeting.result["capabilities"].get(name).is_some()
    };
    match &vector.needs {
        Some(needed) if !has(needed) => Some(format!("the server has no {needed}")),
        _ if vector.changes && !settings.call_all => {
            Some("it would change something, and is not sent without --call-all".to_owned())
        }
        _ => None,
    }
}

/// Checks the notifications of a vector's method.
fn heard(vector: &Vector, heard: &[Value]) -> (CheckStatus, String) {
    let mut count = 0;
    for notification in heard.iter().filter(|heard| heard["method"] == json!(vector.method)) {
        count += 1;
        if let Err(problem) = vector.allows(&json!({ "params": notification["params"] })) {
            return (CheckStatus::Failed, format!("heard {}; {problem}", vector.method));
        }
    }
    match count {
        0 => (CheckStatus::Skipped, "the server sent none".to_owned()),
        _ => (CheckStatus::Passed, quoted(&format!("{count} of {}", vector.method))),
    }
}
