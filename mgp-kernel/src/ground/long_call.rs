//! The marks of calls whose results are kept, or whose strings are too long for memory.

use mgp_transport::{
    long_text::{LongTextGuard, PlacedText, ReceivedTexts},
    seam::Peer,
};

/// The mark of a call whose caller requested to keep its result. The service that sends the call then forwards no chunks of the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptCall;

/// The long strings of a call, for the service that sends it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LongCall {
    /// The store for the long strings of its result.
    pub(crate) received: Option<ReceivedTexts>,
    /// The long strings of its arguments.
    pub(crate) sent: Vec<PlacedText>,
}

impl LongCall {
    /// Registers the long strings of the call for a message to a server, until the guards are dropped.
    pub(crate) fn enter(&self, peer: &Peer, id: i64) -> Vec<LongTextGuard> {
        let Some(long) = peer.long_texts() else { return Vec::new() };
        let received = self.received.iter().map(|texts| long.receive(id, texts.clone()));
        received.chain(self.sent.iter().map(|text| long.send(id, text.clone()))).collect()
    }

    /// Returns whether the answer to the call had long strings, which are now placeholders. Such an answer is kept, and no other layer reads it.
    pub(crate) fn has_long_answer(&self) -> bool {
        self.received.as_ref().is_some_and(|texts| !texts.is_empty())
    }
}
