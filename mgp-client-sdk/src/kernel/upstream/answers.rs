//! The answers of a server, made valid by MCP's schema of the receiving host.

use super::Server;
use crate::kernel::host::HostDialect;
use mgp_transport::seam::{CallRecord, Incoming};
use mgp_types::rpc::{ErrorObject, RawResult};

/// The detail of a call's event that marks an answer that was changed for its host.
pub(in crate::kernel) const MENDED: &str = "mended";

impl Server {
    /// Returns the answer to a request in a form that is valid by MCP's schema of the host's revision. Logs a warning if the answer
    /// was changed.
    ///
    /// # Errors
    /// 5000 (`UPSTREAM_ERROR`) if the answer lacks a required member.
    pub(in crate::kernel) fn valid_answer(
        &self,
        method: &str,
        answer: RawResult,
        host: HostDialect,
    ) -> Result<RawResult, ErrorObject> {
        self.validity(method, answer, host).map(|(answer, _)| answer)
    }

    /// Does the same as [`valid_answer`](Self::valid_answer) for a message, and notes in its record whether the answer was
    /// changed.
    pub(super) fn valid_answer_to(
        &self,
        message: &Incoming,
        answer: RawResult,
        host: HostDialect,
    ) -> Result<RawResult, ErrorObject> {
        let (answer, is_changed) = self.validity(&message.method, answer, host)?;
        if is_changed && let Some(record) = CallRecord::of(message) {
            record.update(|record| {
                // A retry may have changed an earlier answer.
                record.details.retain(|(name, _)| *name != MENDED);
                record.details.push((MENDED, true.into()));
            });
        }
        Ok(answer)
    }

    fn validity(
        &self,
        method: &str,
        answer: RawResult,
        host: HostDialect,
    ) -> Result<(RawResult, bool), ErrorObject> {
        let (answer, mends) = host.valid(method, answer)?;
        if let Some(mends) = &mends {
            self.warnings.mended_answer(self.id(), method, mends);
        }
        Ok((answer, mends.is_some()))
    }
}
