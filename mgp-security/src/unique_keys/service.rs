//! The service that refuses duplicate keys.

use crate::{
    gate::{self, ResponseFuture},
    validator::Violation,
};
use mgp_transport::seam::{Incoming, Reply};
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses calls that hold a key twice in one object, at any level.
#[derive(Debug, Clone)]
pub struct UniqueKeys<S> {
    pub(super) inner: S,
}

fn judge(message: &Incoming) -> Result<(), Reply> {
    let Some(call) = gate::tool_call(message) else { return Ok(()) };
    let unique = match message.params.object() {
        Ok(params) => params.check_unique_keys().map_err(|error| error.to_string()),
        Err(error) => Err(error.message),
    };
    unique.map_err(|problem| {
        let violation = Violation::new("expected each key once in an object", vec![problem]);
        call.refuse(violation.kind(), violation.to_string());
        violation.answer(message)
    })
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for UniqueKeys<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match judge(&message) {
            Ok(()) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
        }
    }
}
