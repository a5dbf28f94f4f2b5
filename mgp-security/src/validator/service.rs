//! The service that runs the validators.

use super::{Input, Leaf, Validators, Violation, input::leaves_of, registry::asked_for};
use crate::{
    gate::{self, ResponseFuture},
    profile::Leaves,
};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{json::read_deep, rpc::ErrorObject};
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses calls whose arguments are rejected by a validator of their tool.
#[derive(Debug, Clone)]
pub struct Validate<S> {
    pub(super) inner: S,
    pub(super) validators: Validators,
}

impl<S> Validate<S> {
    fn judge(&self, message: &Incoming) -> Result<(), Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let profile = call.profile()?;
        let names: Vec<&str> = asked_for(profile).collect();
        if names.is_empty() {
            return Ok(());
        }
        let leaves = read_leaves(message, &profile.leaves).map_err(|violation| {
            call.refuse(violation.kind(), violation.to_string());
            violation.answer(message)
        })?;
        call.note(|record| record.validator = Some(names.join("+")));
        self.validators.check(&Input { leaves: &leaves, profile }).map_err(|violation| {
            call.refuse(violation.kind(), violation.to_string());
            violation.answer(message)
        })
    }
}

/// Reads the leaves of the arguments. Arguments that can be read in more than one way are refused.
fn read_leaves(message: &Incoming, which: &Leaves) -> Result<Vec<Leaf>, Violation> {
    let unreadable = |error: String| Violation::new("the arguments cannot be read", vec![error]);
    let params = message.params.object().map_err(|ErrorObject { message, .. }| unreadable(message))?;
    let Some(arguments) = params.get("arguments") else { return Ok(Vec::new()) };
    let deep = read_deep(arguments).map_err(|error| unreadable(error.to_string()))?;
    leaves_of(&deep, arguments.as_bytes().len(), which).map_err(unreadable)
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Validate<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match self.judge(&message) {
            Ok(()) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
        }
    }
}
