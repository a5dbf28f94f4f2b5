//! Test support for every gate.

use crate::validator::Validators;
use jiff::Timestamp;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::rpc::RawParams;
use std::time::Duration;
use tokio::time::Instant;
pub(crate) use xtask_testing::{
    CountingService as Inner, PolledFuture as Task, TestCall, context, plain_profile,
};

/// Returns a message that is not a tool call.
pub(crate) fn other_message() -> Incoming {
    Incoming::request(1, "tools/list", RawParams::none())
}

/// Returns a time that follows tokio's clock, even while that clock is paused. For tests whose tasks run on one thread.
pub(crate) fn tokio_clock() -> Timestamp {
    thread_local!(static START: (Timestamp, Instant) = (Timestamp::now(), Instant::now()));
    START.with(|(time, instant)| *time + instant.elapsed())
}

/// Returns the validators, with a time limit that suffices on a slow machine.
pub(crate) fn validators() -> Validators {
    Validators::standard().timeout(Duration::from_secs(120))
}

/// Returns the code of an error reply.
pub(crate) fn code(reply: &Reply) -> Option<i64> {
    reply.as_error().map(|error| error.code)
}
