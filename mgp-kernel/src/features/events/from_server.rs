//! §13.3 Receives the events of servers' channels.

use super::{KernelEvents, kernel_events::may_use_server};
use crate::{
    ground::event_checks::{EventProblem, check_channel_of_server, check_length},
    upstream::Server,
};
use mgp_stream::events::ChannelEvent;
use mgp_transport::seam::Incoming;
use mgp_types::{
    events::{Event, EventParams},
    json::RawObject,
    rpc::{ErrorObject, Notice},
};
use std::time::{Duration, Instant};

/// The minimum processing time of an event that is followed by a pause.
const LONG: Duration = Duration::from_millis(1);

impl KernelEvents {
    /// Delivers an event to its subscribed hosts. Hosts count events that are dropped for their length or their
    /// secrets as lost.
    pub(crate) async fn receive(&self, server: &Server, params: &RawObject) {
        if !self.is_heard() {
            return;
        }
        let began = Instant::now();
        if let Err(problem) = self.try_receive(server, params).await {
            if problem.is_loss() {
                let before = params.to_json().decode::<EventParams>().map_or(0, |event| event.lost());
                self.lost(server.id(), before.saturating_add(1));
            }
            if let Some(left_out) = server.warnings.events.admit() {
                tracing::warn!(server = server.id(), %problem, left_out, "event of the server dropped");
            }
        }
        // The server's next notification waits for this one, so this pause limits the server's rate.
        if let Some(pause) = pause_after(began.elapsed()) {
            tokio::time::sleep(pause).await;
        }
    }

    /// Checks an event, searches it for secrets once for all hosts, and delivers it to its subscribers.
    ///
    /// # Errors
    /// [`EventProblem`]. Only a server that negotiated `events` may send events.
    async fn try_receive(&self, server: &Server, params: &RawObject) -> Result<(), EventProblem> {
        if !server.link().is_some_and(|link| link.session.has_events()) {
            return Err(EventProblem::NotNegotiated);
        }
        check_length(params)?;
        let unreadable = |error: ErrorObject| EventProblem::Unreadable(error.message);
        let mut message = Incoming::notification(Event::METHOD, params.to_json());
        let event: EventParams = message.params.decode().map_err(unreadable)?;
        if !server.channels.is_of_subscription(&event.subscription_id) {
            return Err(EventProblem::Subscription);
        }
        message.set_principal(server.rights.trail.myself.clone());
        let searched = server.path.results.notification(message).await.ok_or(EventProblem::Withheld)?;
        // Parsed again in the masked form, because any member may contain secrets.
        let event: EventParams = searched.decode().map_err(unreadable)?;
        check_channel_of_server(&event.channel)?;
        self.take_over(server.id(), event);
        Ok(())
    }

    /// Delivers an event of a server to the hosts that are subscribed and may use the server. The event is always attributed to that
    /// server.
    fn take_over(&self, server_id: &str, event: EventParams) {
        self.lost(server_id, event.lost());
        let EventParams { channel, timestamp, severity, data, .. } = event;
        let server = Some(server_id.into());
        let event = ChannelEvent { channel: channel.into(), server_id: server, timestamp, severity, data };
        self.hub.publish_to(event, may_use_server(self.access.clone(), server_id));
    }
}

/// Returns the pause after an event that took a time to process, above all for the search for secrets. The pause is as long again, so
/// that the events of one server use at most half of a processor.
fn pause_after(spent: Duration) -> Option<Duration> {
    (spent >= LONG).then_some(spent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_as_long_as_the_event_before_it() {
        let millis = Duration::from_millis;
        assert_eq!(pause_after(Duration::from_micros(999)), None);
        assert_eq!([1, 50].map(|spent| pause_after(millis(spent))), [Some(millis(1)), Some(millis(50))]);
    }
}
