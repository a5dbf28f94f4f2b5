//! Test support for every gate.

use mgp_transport::seam::{Incoming, Reply};
use mgp_types::rpc::RawParams;
pub(crate) use xtask_testing::{
    CountingService as Inner, PolledFuture as Task, TestCall, context, plain_profile,
};

/// Returns a message that is not a tool call.
pub(crate) fn other_message() -> Incoming {
    Incoming::request(1, "tools/list", RawParams::none())
}

/// Returns the code of an error reply.
pub(crate) fn code(reply: &Reply) -> Option<i64> {
    reply.as_error().map(|error| error.code)
}
