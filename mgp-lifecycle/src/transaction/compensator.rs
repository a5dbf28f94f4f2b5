//! The way in which steps are undone.

use super::{TransactionCaller, TransactionKey, step_end::brief};
use async_trait::async_trait;
use mgp_transport::seam::Peer;
use mgp_types::{idempotency::IdempotencyKey, json::RawJson, mcp::CallToolResult};

/// A call that undoes a step.
#[derive(Debug, Clone)]
pub struct CompensationCall {
    /// The caller of the transaction, with whose rights the call is made.
    pub caller: TransactionCaller,
    /// The server of the step.
    pub server_id: String,
    /// The tool, by its server's name for it.
    pub tool: String,
    /// Its arguments.
    pub arguments: RawJson,
    /// The key under which the call is made once, also if the process ends meanwhile.
    pub key: IdempotencyKey,
    /// The mark that has to be in the extensions of the call.
    pub mark: CompensationMark,
    /// The [fingerprint](super::DeclaredCompensations::endpoint) of the server that made the step. The call is for no other server of that
    /// name.
    pub endpoint: Option<String>,
    /// The host that asked for the rollback, which is asked where the call has to be confirmed. `None` if nobody asked.
    pub host: Option<Peer>,
}

/// The mark of a call that undoes a step, by which the [layer](super::TransactionLayer) stores that the call is sent, and sends it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompensationMark {
    pub(super) transaction: TransactionKey,
    pub(super) step: String,
}

/// The end of a call that undoes a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompensationEnd {
    /// The step was undone.
    Done,
    /// It was not, for this reason.
    Failed(String),
    /// It was not, for this reason, with which the call was answered when it was made before, under the same key.
    FailedBefore(String),
    /// The call was certainly not made, and may be made later.
    Unsent(String),
    /// The call was sent, and nobody knows whether it took effect.
    Unknown(String),
    /// Nothing can be called any more, because the process ends.
    Gone,
}

impl CompensationEnd {
    /// Returns the reason in the result of a tool that failed: its first text.
    #[must_use]
    pub fn reason_in(result: &RawJson) -> String {
        let result = result.decode::<CallToolResult>().ok();
        let text = result.as_ref().and_then(|result| result.content.iter().find_map(|block| block.as_text()));
        brief(text.unwrap_or("the tool answered with an error"))
    }
}

/// Calls tools on behalf of the callers of transactions, through every gate.
#[async_trait]
pub trait Compensator: Send + Sync + 'static {
    /// Makes a call that undoes a step.
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd;
}
