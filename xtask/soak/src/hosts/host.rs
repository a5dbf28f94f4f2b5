//! One host and its life.

use super::{Era, SharedState, listen::EventStream, work};
use crate::{random::Random, wire::Connection};

/// One host.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) shared: SharedState,
    pub(crate) era: Era,
    pub(crate) random: Random,
    /// Kept between requests, as browsers and clients do.
    pub(crate) connection: Option<Connection>,
    pub(crate) session: Option<Session>,
}

/// A session that was opened.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) id: String,
    /// The session's stream, if this host opened it.
    pub(super) _stream: Option<EventStream>,
}

impl Host {
    pub(crate) fn new(shared: &SharedState, number: usize) -> Self {
        Self {
            era: SharedState::era(number),
            random: Random::new(shared.seed, number as u64 + 1),
            shared: shared.clone(),
            connection: None,
            session: None,
        }
    }

    /// Sends requests, a few a second, until the time has passed.
    pub(crate) async fn live(mut self) {
        // Not all at once.
        tokio::time::sleep(self.random.millis(0..1000)).await;
        while tokio::time::Instant::now() < self.shared.until {
            if self.era == Era::Sessions && self.session.is_none() && !self.greet().await {
                tokio::time::sleep(self.random.millis(200..800)).await;
                continue;
            }
            work::next(&mut self).await;
            tokio::time::sleep(self.random.millis(200..800)).await;
        }
        if self.random.below(2) == 0 {
            self.say_goodbye().await;
        }
    }
}
