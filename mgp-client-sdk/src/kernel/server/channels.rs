//! The channels of a server's events, as the server listed them when the kernel subscribed.

use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// The time that a host's subscription waits for a server to list its channels. A server that takes longer is heard all the same.
const LISTING_TIMEOUT: Duration = Duration::from_secs(2);

/// The most channels of one server that hosts are told of.
const MAX_CHANNELS: usize = 1024;

/// The channels of a server's events; not known while nobody listens.
#[derive(Debug)]
pub(crate) struct ServerChannels(watch::Sender<Option<Arc<[String]>>>);

impl Default for ServerChannels {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl ServerChannels {
    /// Takes over the channels that the server listed.
    pub(super) fn know(&self, channels: &[String]) {
        let known = &channels[..channels.len().min(MAX_CHANNELS)];
        self.0.send_replace(Some(known.into()));
    }

    /// Notes that the server was asked for its events, or is not any more. A server that listed no channels has none.
    pub(super) fn asked(&self, yes: bool) {
        self.0.send_if_modified(|channels| {
            let changed = channels.is_some() != yes;
            if changed {
                *channels = yes.then(|| [].into());
            }
            changed
        });
    }

    /// Forgets the channels, because the connection is gone.
    pub(super) fn forget(&self) {
        self.0.send_replace(None);
    }

    /// Waits until the channels are known, if the server lists them in time.
    pub(crate) async fn listed(&self) -> Arc<[String]> {
        let mut channels = self.0.subscribe();
        let known = tokio::time::timeout(LISTING_TIMEOUT, channels.wait_for(Option::is_some)).await;
        known.ok().and_then(|known| known.ok()?.clone()).unwrap_or_default()
    }
}
