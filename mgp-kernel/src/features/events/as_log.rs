//! Events as log messages, for hosts without the extension `events`.

use super::KernelEvents;
use crate::ground::own_channel::OwnChannel;
use mgp_server_sdk::{era, logging};
use mgp_stream::events::EventSubscription;
use mgp_transport::seam::{Incoming, Peer, Session};
use mgp_types::{
    context::Principal,
    events::EventParams,
    json::{JsonError, RawJson, RawObject},
    mcp::{LogMessage, LogMessageParams, LoggingLevel},
    negotiation::{Extension, Negotiation},
    rpc::{Notice, RawParams},
};
use serde::Serialize;

/// The channels whose events a host knows from the answers to its calls, or an operator from the trail.
const ANSWERED: [&str; 3] =
    [OwnChannel::ToolCalled.as_str(), OwnChannel::ToolFailed.as_str(), OwnChannel::Audit.as_str()];

/// The mark of a session whose host receives events as log messages.
#[derive(Debug, Clone, Copy)]
struct EventLog;

/// The data of a log message about an event.
#[derive(Serialize)]
struct LoggedEvent<'a> {
    channel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawJson>,
    #[serde(rename = "_mgp", skip_serializing_if = "Option::is_none")]
    mgp: Option<RawObject>,
}

impl KernelEvents {
    /// Sends events as log messages to a host that requested a log level and did not negotiate events, until its session ends. An event
    /// is sent if the host may receive it and its severity is at least the level at that moment.
    pub(crate) fn log_to(&self, message: &Incoming, principal: &Principal) {
        let Some((session, peer)) = message.session().zip(message.peer()) else { return };
        let knows_events =
            session.get::<Negotiation>().is_some_and(|negotiated| negotiated.has(Extension::Events));
        // A delegated request acts for the host only while it runs.
        if knows_events || principal.is_delegated() || !era::has_session(session) {
            return;
        }
        let mut is_first = false;
        session.get_or_insert_with(|| {
            is_first = true;
            EventLog
        });
        if is_first {
            let subscription = self.hub.overhear(&ANSWERED, Some(principal.clone()));
            tokio::spawn(log_all(subscription, session.clone(), peer.unbound()));
        }
    }
}

async fn log_all(mut subscription: EventSubscription, session: Session, peer: Peer) {
    let logging = async {
        let mut lost = 0;
        while let Some(event) = subscription.next("").await {
            lost += event.lost();
            let line = match line(&event, lost) {
                Ok(line) => line,
                Err(error) => {
                    tracing::warn!(%error, "an event cannot be written");
                    continue;
                }
            };
            if logging::is_wanted(&session, &line) {
                if let Err(error) = peer.notify(LogMessage::METHOD, line).await {
                    return tracing::debug!(%error, "a host is gone");
                }
                lost = 0;
            }
        }
    };
    tokio::select! {
        () = logging => {}
        () = peer.closed() => {}
    }
}

/// Returns the log message of an event, which includes the number of events lost before it.
fn line(event: &EventParams, lost: u64) -> Result<RawParams, JsonError> {
    let EventParams { channel, server_id, severity, data, .. } = event;
    let data = LoggedEvent { channel, data: data.as_ref(), mgp: EventParams::metadata(None, lost) };
    RawParams::from_value(&LogMessageParams {
        level: severity.unwrap_or(LoggingLevel::Info),
        logger: server_id.clone(),
        data: RawJson::from_value(&data)?,
        meta: None,
    })
}
