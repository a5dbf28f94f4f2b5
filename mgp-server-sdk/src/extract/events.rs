//! The extractor of the handle that publishes events.

use super::{FromCall, Needs};
use crate::{
    Call,
    events::{Events, NoChannels},
};

/// A server without channels fails to build if a handler takes an [`Events`].
impl FromCall for Events {
    type Rejection = NoChannels;

    fn needs(needs: &mut Needs) {
        needs.channels();
    }

    async fn from_call(call: &Call) -> Result<Self, NoChannels> {
        call.app().events.clone().ok_or(NoChannels)
    }
}
