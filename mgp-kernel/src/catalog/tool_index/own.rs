//! The features behind the kernel's own tools, as this room needs them.

use async_trait::async_trait;
use mgp_toolindex::{request::RequestOutcome, session::ToolSession};
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    rpc::{ErrorObject, RawResult},
    tool_index::RequestToolsParams,
};
use std::{fmt, time::Duration};

/// A feature that answers calls of one of the kernel's own tools, with the requests `R`.
#[async_trait]
pub(crate) trait OwnTool<R>: fmt::Debug + Send + Sync {
    /// Answers a call. `principal` acts in the session of the call.
    async fn answer(
        &self,
        message: &Incoming,
        principal: &Principal,
        request: R,
    ) -> Result<RawResult, ErrorObject>;

    /// Checks that a call would be answered, without an effect.
    ///
    /// # Errors
    /// The error that the call would have.
    async fn check(&self, message: &Incoming, principal: &Principal, request: R) -> Result<(), ErrorObject>;
}

/// The feature that creates tools from the code of agents (§16.6).
#[async_trait]
pub(crate) trait ToolCreation: fmt::Debug + Send + Sync {
    /// Returns whether any agent may create tools.
    fn is_on(&self) -> bool;

    /// Creates a tool for a request that no existing tool serves, if the request contains the code of one. Otherwise, answers that the agent
    /// may submit code. Returns whether a tool was created.
    ///
    /// # Errors
    /// The refusal of the code.
    async fn create(
        &self,
        message: &Incoming,
        principal: &Principal,
        session: &ToolSession,
        params: &RequestToolsParams,
        answered: &mut RequestOutcome,
    ) -> Result<bool, ErrorObject>;

    /// Checks that a tool would be created from the code of a request. The code itself is judged only when the tool is created.
    ///
    /// # Errors
    /// 1000 with the unmet condition.
    fn check(&self, message: &Incoming, principal: &Principal) -> Result<(), ErrorObject>;

    /// Returns the rejection of code in an error as JSON, for an answer that a model reads; `None` for any other error.
    fn rejection_text(&self, error: &ErrorObject) -> Option<String>;
}

/// A measurement of searches of tools.
pub(crate) trait SearchTimes: fmt::Debug + Send + Sync {
    /// Adds the time of a search.
    fn searched(&self, time: Duration);
}
