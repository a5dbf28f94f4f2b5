//! Hosts that are asked in rounds of input.

use futures_core::future::BoxFuture;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::RawObject,
    rpc::{RawParams, RawResult},
};
use std::fmt;

/// A host that cannot be sent requests. Its own request is answered with the questions as a round of input, and it sends the request again
/// with the answers. The session of such a request holds this value in an [`Arc`](std::sync::Arc).
pub(crate) trait RoundHost: fmt::Debug + Send + Sync {
    /// Asks the host a question under a key that a server chose.
    ///
    /// # Errors
    /// [`CallError`] if the call ends before the question is answered, or if too many questions are open.
    fn ask<'a>(
        &'a self,
        key: &'a str,
        method: &'a str,
        params: RawParams,
    ) -> BoxFuture<'a, Result<RawResult, CallError>>;

    /// Delivers answers by the keys of their questions. Answers without a question are ignored.
    fn answer(&self, answers: &RawObject);

    /// Returns the open questions, by their keys.
    fn open(&self) -> RawObject;

    /// Returns a key that no question has used.
    fn fresh_key(&self, method: &str) -> String;
}
