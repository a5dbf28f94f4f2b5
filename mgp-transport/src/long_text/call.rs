//! The long strings of one call.

use super::{LongTextGuard, LongTexts, PlacedText, ReceivedTexts};

/// The long strings of a call, for the service that sends it.
#[derive(Debug, Clone, Default)]
pub struct LongCall {
    /// The store for the long strings of its result.
    pub received: Option<ReceivedTexts>,
    /// The long strings of its arguments.
    pub sent: Vec<PlacedText>,
}

impl LongCall {
    /// Registers the long strings of the call for a message with this id, until the guards are dropped.
    #[must_use]
    pub fn enter(&self, texts: &LongTexts, id: i64) -> Vec<LongTextGuard> {
        let received = self.received.iter().map(|received| texts.receive(id, received.clone()));
        received.chain(self.sent.iter().map(|text| texts.send(id, text.clone()))).collect()
    }

    /// Returns whether the answer to the call had long strings, which are now placeholders. Such an answer is kept, and no other layer reads it.
    #[must_use]
    pub fn has_long_answer(&self) -> bool {
        self.received.as_ref().is_some_and(|texts| !texts.is_empty())
    }
}
