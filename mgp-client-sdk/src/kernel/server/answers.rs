//! The answers of a server, valid by MCP's schema of the host that gets them.

use super::Server;
use crate::kernel::host::HostDialect;
use mgp_types::rpc::{ErrorObject, RawResult};

impl Server {
    /// Returns an answer to a request in a form that is valid by MCP's schema of the host's revision, with a warning if it was not.
    ///
    /// # Errors
    /// 5002 (`UPSTREAM_ERROR`) if the answer lacks what it must have.
    pub(in crate::kernel) fn valid_answer(
        &self,
        method: &str,
        answer: RawResult,
        host: HostDialect,
    ) -> Result<RawResult, ErrorObject> {
        let (answer, mends) = host.valid(method, answer)?;
        if let Some(mends) = mends {
            self.warnings.mended_answer(self.id(), method, &mends);
        }
        Ok(answer)
    }
}
