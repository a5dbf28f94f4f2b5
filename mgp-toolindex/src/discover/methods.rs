//! Answers the method `mgp/tools/discover`.

use super::Discovery;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::{Call, ErrorObject},
    tool_index::{DiscoverTools, DiscoverToolsResult},
};
use std::{
    future::{Ready, ready},
    task::{Context, Poll},
};
use tower_service::Service;

/// Answers `mgp/tools/discover` for the principal that the identity layer put into the message.
#[derive(Debug, Clone)]
pub struct DiscoverMethods {
    discovery: Discovery,
}

impl DiscoverMethods {
    /// The methods that this service answers.
    pub const METHODS: [&'static str; 1] = [DiscoverTools::METHOD];

    /// Creates a service that answers with the results of `discovery`.
    #[must_use]
    pub fn new(discovery: Discovery) -> Self {
        Self { discovery }
    }

    fn answer(&self, message: &Incoming) -> Result<DiscoverToolsResult, ErrorObject> {
        if message.method != *DiscoverTools::METHOD {
            return Err(ErrorObject::method_not_found(&message.method));
        }
        let Some(principal) = message.ext.get::<Principal>() else {
            return Err(ErrorCode::AuthRequired.error("discovery needs to know who asks"));
        };
        self.discovery.discover(principal, &message.params.decode()?)
    }
}

impl Service<Incoming> for DiscoverMethods {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        if message.is_notification() {
            return ready(Ok(Reply::none()));
        }
        ready(Ok(match self.answer(&message) {
            Ok(found) => Reply::from_value(&found),
            Err(error) => Reply::error(error),
        }))
    }
}
