//! Takes over the events of a server.

use super::{KernelEvents, kernel_events::may_use_server, own_channel::OwnChannel};
use mgp_stream::events::{ChannelEvent, MAX_DATA, check_channel};
use mgp_types::events::EventParams;

/// The longest time that an event may name, in bytes.
const MAX_TIME: usize = 64;

/// The problem with an event of a server, which is dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::kernel) enum EventProblem {
    #[error("data or a time that is too long")]
    TooLong,
    #[error("a name that no channel has")]
    Channel,
    #[error("a channel of the kernel's own")]
    OwnChannel,
}

impl KernelEvents {
    /// Brings an event of a server to the hosts that may use the server and want the event. Whatever the event says, it is of that server.
    ///
    /// # Errors
    /// [`EventProblem`]. A server cannot publish in the kernel's own channels, where hosts would believe it.
    pub(in crate::kernel) fn take_over(
        &self,
        server_id: &str,
        event: EventParams,
    ) -> Result<(), EventProblem> {
        let lost = event.lost();
        if lost > 0 {
            self.hub.lost(server_id, lost, may_use_server(self.access.clone(), server_id));
        }
        check_channel(&event.channel).map_err(|_| EventProblem::Channel)?;
        if OwnChannel::of_name(&event.channel).is_some() {
            return Err(EventProblem::OwnChannel);
        }
        if event.data.as_ref().is_some_and(|data| data.as_bytes().len() > MAX_DATA)
            || event.timestamp.len() > MAX_TIME
        {
            return Err(EventProblem::TooLong);
        }
        let EventParams { channel, timestamp, severity, data, .. } = event;
        let server = Some(server_id.into());
        let event = ChannelEvent { channel: channel.into(), server_id: server, timestamp, severity, data };
        self.hub.publish_to(event, may_use_server(self.access.clone(), server_id));
        Ok(())
    }
}
