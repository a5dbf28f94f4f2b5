//! The extractor that writes to the client's log.

use super::{FromCall, Needs};
use crate::{
    Call, logging,
    task::{Slot, TaskForm, meta_of},
};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{LogMessage, LogMessageParams, LoggingLevel},
};
use serde::Serialize;
use std::convert::Infallible;

/// The client's log: `notifications/message`, from the level up that the client asked for. A client that asked for no level
/// receives `info` and above. In a stateless revision of MCP, a request that asked for no level receives no messages.
///
/// Messages that the connection cannot carry are lost, as log messages may be. Messages from a [task](crate::task) of a stateless
/// revision are lost too.
#[derive(Debug, Clone)]
pub struct Log {
    peer: Option<Peer>,
    logger: String,
    meta: Option<RawObject>,
    /// The slot of a call that may become a task without a log.
    slot: Option<Slot>,
}

impl Log {
    /// Returns whether messages of a level are sent.
    #[must_use]
    pub fn is_enabled(&self, level: LoggingLevel) -> bool {
        if self.slot.as_ref().is_some_and(|slot| slot.task().is_some()) {
            return false;
        }
        let wanted = self.peer.as_ref().and_then(|peer| logging::level(peer.session()));
        wanted.is_some_and(|wanted| level >= wanted)
    }

    /// Writes a value.
    pub async fn write<T: Serialize + Sync + ?Sized>(&self, level: LoggingLevel, data: &T) {
        let Some(peer) = self.peer.as_ref().filter(|_| self.is_enabled(level)) else { return };
        let data = match RawJson::from_value(data) {
            Ok(data) => data,
            Err(error) => return tracing::warn!(%error, "a log message that cannot be JSON: dropped"),
        };
        let params =
            LogMessageParams { level, logger: Some(self.logger.clone()), data, meta: self.meta.clone() };
        let sent: Result<(), CallError> = peer.notice::<LogMessage>(&params).await;
        if let Err(error) = sent {
            tracing::debug!(%error, "a log message was not sent");
        }
    }

    /// Writes a text at the level `debug`.
    pub async fn debug(&self, text: &str) {
        self.write(LoggingLevel::Debug, text).await;
    }

    /// Writes a text at the level `info`.
    pub async fn info(&self, text: &str) {
        self.write(LoggingLevel::Info, text).await;
    }

    /// Writes a text at the level `warning`: something that may become an error.
    pub async fn warning(&self, text: &str) {
        self.write(LoggingLevel::Warning, text).await;
    }

    /// Writes a text at the level `error`: an operation that failed.
    pub async fn error(&self, text: &str) {
        self.write(LoggingLevel::Error, text).await;
    }
}

impl FromCall for Log {
    type Rejection = Infallible;

    fn needs(needs: &mut Needs) {
        needs.logging();
    }

    async fn from_call(call: &Call) -> Result<Self, Infallible> {
        // A task whose client polls it has no log.
        let peer = call.peer().filter(|_| call.task_form().is_none_or(TaskForm::is_by_client)).cloned();
        let slot = call.incoming().ext.get::<Slot>().cloned();
        Ok(Self { peer, logger: call.app().logger.clone(), meta: meta_of(call), slot })
    }
}
