//! The service that runs the validators.

use super::{Input, Validators, Violation, input::leaves_of, registry::asked_for};
use crate::gate::{self, ResponseFuture};
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    json::{Deep, RawJson, read_deep},
    rpc::ErrorObject,
};
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses calls whose arguments a validator of their tool does not let through.
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
        let arguments = read_arguments(message).map_err(|violation| {
            call.refuse(violation.kind(), violation.to_string());
            violation.answer(message)
        })?;
        let leaves = leaves_of(&arguments, &profile.leaves);
        call.note(|record| record.validator = Some(names.join("+")));
        self.validators.check(&Input { leaves: &leaves, profile }).map_err(|violation| {
            call.refuse(violation.kind(), violation.to_string());
            violation.answer(message)
        })
    }
}

/// Reads the arguments to their leaves; what cannot be read in one way only is refused.
fn read_arguments(message: &Incoming) -> Result<Deep, Violation> {
    let unreadable = |error: String| Violation::new("the arguments cannot be read", vec![error]);
    let params = message.params.object().map_err(|ErrorObject { message, .. }| unreadable(message))?;
    match params.get("arguments") {
        None => Ok(Deep::Null),
        Some(arguments) => deep(arguments).map_err(unreadable),
    }
}

fn deep(arguments: &RawJson) -> Result<Deep, String> {
    read_deep(arguments).map_err(|error| error.to_string())
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
