//! Calls whose strings may be too long for memory. Such strings are written from one server's connection into a spool, and from there to
//! another server.

use super::References;
use crate::{catalog::tools::ToolEntry, upstream::Server};
use mgp_transport::seam::ToolCall;
use mgp_types::{
    idempotency::IDEMPOTENCY_KEY, json::RawJson, tool_result::ATTEST_KEY, tool_security::SecretPolicy,
    transaction::TRANSACTION_ID,
};

/// The validator that accepts everything.
const NO_VALIDATOR: &str = "none";

/// The members of a call's `_meta` because of which its whole result is stored elsewhere, or hashed.
const READ_WHOLE: [&str; 3] = [IDEMPOTENCY_KEY, TRANSACTION_ID, ATTEST_KEY];

/// Returns whether the result of a call may have long strings: no layer may need to read them.
pub(super) fn receives(call: &ToolCall, references: &References) -> bool {
    // A layer of the program sees results, too.
    !references.settings.has_own_gates
        && ToolEntry::of(call).is_some_and(|entry| {
            entry.server.carries_long_texts() && entry.server.secrets() == SecretPolicy::Off
        })
        && !is_read_whole(call)
        && !is_task(call)
}

/// Checks that the arguments of a call may have long strings: no gate may need to read them.
///
/// # Errors
/// The reason why they may not have any.
pub(super) fn check_sends(call: &ToolCall, references: &References) -> Result<(), &'static str> {
    let is_read = call.profile.validators.iter().any(|validator| validator.as_str() != NO_VALIDATOR);
    if !ToolEntry::of(call).is_some_and(|entry| entry.server.carries_long_texts()) {
        Err("longer data is only sent to servers over stdio")
    } else if is_read {
        Err("a validator of the tool reads it")
    } else if call.profile.max_input_bytes.is_some() {
        Err("the tool limits the size of its arguments")
    } else if references.reads_arguments() || call.options().check_arguments {
        Err("the gateway's policy, its check of arguments or a custom gate reads it")
    } else if is_read_whole(call) {
        Err("the call has an idempotency key, is a step of a transaction, or asks for an attestation")
    } else {
        Ok(())
    }
}

fn is_read_whole(call: &ToolCall) -> bool {
    let read_whole = |params: &RawJson| {
        params.may_hold("_meta") && READ_WHOLE.iter().any(|member| params.may_hold(member))
    };
    call.params.get().is_some_and(read_whole)
}

/// Returns whether a host runs the call as a task, which keeps its result.
fn is_task(call: &ToolCall) -> bool {
    call.params.get().is_some_and(|params| params.may_hold("task"))
        && call.params.object().is_ok_and(|params| params.get("task").is_some())
}

impl Server {
    /// Returns whether strings that are too long for memory can be sent: only over a byte stream to the server itself.
    fn carries_long_texts(&self) -> bool {
        !self.spec.endpoint.is_http()
    }
}
