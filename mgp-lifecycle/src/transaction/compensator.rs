//! The interface by which steps are undone.

use super::{TransactionCaller, TransactionKey, record::brief};
use async_trait::async_trait;
use mgp_transport::seam::{Incoming, Peer, ToolCall};
use mgp_types::{context::ToolId, idempotency::IdempotencyKey, json::RawJson, mcp::CallToolResult};

/// A call that undoes a step.
#[derive(Debug, Clone)]
pub struct CompensationCall {
    /// The caller of the transaction. The call is made with the caller's rights.
    pub caller: TransactionCaller,
    /// The server of the step.
    pub server_id: String,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// Its arguments.
    pub arguments: RawJson,
    /// The key under which the call is made only once, even if the process ends meanwhile.
    pub key: IdempotencyKey,
    /// The mark that the call must [carry](CompensationMark::attach).
    pub mark: CompensationMark,
    /// The [fingerprint](super::DeclaredCompensations::endpoint) of the server that made the step. The call is for no other server with that
    /// name.
    pub endpoint: Option<String>,
    /// The host that requested the rollback and confirms the call if needed. `None` if no host requested it.
    pub host: Option<Peer>,
}

/// The mark of a call that undoes a step. The call is for exactly one tool, regardless of names. The [layer](super::TransactionLayer) stores
/// that the call is sent, and sends it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompensationMark {
    pub(super) transaction: TransactionKey,
    pub(super) step: String,
    pub(super) tool: ToolId,
}

impl CompensationMark {
    /// Returns the mark of a message; `None` if it undoes no step.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        message.ext.get()
    }

    /// Returns the mark of a call; `None` if it undoes no step.
    #[must_use]
    pub fn of_call<P>(call: &ToolCall<P>) -> Option<&Self> {
        call.ext.get()
    }

    /// Marks a message before it is sent through the pipeline.
    pub fn attach(self, message: &mut Incoming) {
        message.ext.insert(self);
    }

    /// Returns the tool that undoes the step.
    #[must_use]
    pub const fn tool(&self) -> &ToolId {
        &self.tool
    }
}

/// The end of a call that undoes a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompensationEnd {
    /// The step was undone.
    Done,
    /// The step was not undone, for this reason.
    Failed(String),
    /// The step was not undone, for this reason, which an earlier call with the same key was answered with.
    FailedBefore(String),
    /// The call was certainly not made, and may be made later.
    Unsent(String),
    /// The call was sent, and whether it took effect is unknown.
    Unknown(String),
    /// No call can be made any more, because the process is ending.
    Gone,
}

impl CompensationEnd {
    /// Returns the reason in the result of a failed tool: its first text.
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
