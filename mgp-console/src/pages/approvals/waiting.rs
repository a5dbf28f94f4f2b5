//! The number of questions that wait, for the title of every page and for notifications.

use super::questions::Questions;
use crate::{
    commands::{CommandError, LiveEvent},
    live::{CHECK, while_open},
    page::Context,
};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt, stream};
use mgp_types::audit::AuditEvent;
use std::{convert::Infallible, future::ready, time::Duration};
use tokio::time::interval;

/// The most events after which the questions are counted once.
const TOGETHER: usize = 200;
/// The interval in which the questions are counted without an event: they are forgotten after a time.
const COUNT: Duration = Duration::from_secs(30);

/// Sends the number of open questions and their mark, now and after each event about a question. The stream ends with its session.
pub(crate) async fn waiting(context: Context) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = context.console.commands.follow().ready_chunks(TOGETHER);
    let news = events.filter(|events| ready(events.iter().any(is_about_a_question))).map(drop);
    let ticks = stream::unfold(interval(COUNT), async |mut ticks| {
        ticks.tick().await;
        Some(((), ticks))
    });
    let counts = while_open(&context, stream::select(news, ticks)).filter_map(move |()| {
        let context = context.clone();
        async move { count(&context).await.ok() }
    });
    let counts =
        counts.map(|(count, mark)| Ok(Event::default().event("waiting").data(format!("{count} {mark}"))));
    Sse::new(counts).keep_alive(KeepAlive::new().interval(CHECK))
}

async fn count(context: &Context) -> Result<(usize, String), CommandError> {
    let open: Questions = context.read(&["approve"]).await?;
    let count =
        open.permissions.len() + open.confirmations.len() + open.servers.len() + open.definitions.len();
    Ok((count, open.mark()))
}

/// Returns whether an event opens, answers or closes a question.
fn is_about_a_question(event: &LiveEvent) -> bool {
    let Ok(event) = serde_json::from_str::<AuditEvent>(&event.json) else { return false };
    let name = event.event_type.as_str();
    let name = name.strip_prefix("dev.cloto.mgp.").unwrap_or(name);
    ["APPROVAL_", "CALL_", "PERMISSION_", "SERVER_", "DEFINITION_", "TOOL_CHANGED"]
        .iter()
        .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_about_questions_make_the_count_anew() {
        for (name, expected) in [
            ("dev.cloto.mgp.APPROVAL_NEEDED", true),
            ("dev.cloto.mgp.CALL_APPROVED", true),
            ("dev.cloto.mgp.CALL_APPROVAL_REVOKED", true),
            ("PERMISSION_GRANTED", true),
            ("dev.cloto.mgp.DEFINITION_ACCEPTED", true),
            ("TOOL_EXECUTED", false),
            ("dev.cloto.mgp.TOOL_DISPATCHED", false),
        ] {
            let json = format!(
                r#"{{"timestamp": "2026-01-01T00:00:00Z", "event_type": "{name}", "actor": {{"type": "agent", "id": "a"}}, "result": "SUCCESS"}}"#
            );
            assert_eq!(is_about_a_question(&LiveEvent { json }), expected, "{name}");
        }
        assert!(!is_about_a_question(&LiveEvent { json: "no event".to_owned() }));
    }
}
