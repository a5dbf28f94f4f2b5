//! Answers the requests that a server sends on its own initiative.

use super::{Exchange, questions};
use crate::{
    ground::caller::{Caller, NoCaller},
    upstream::{HostQuestion, Server, feature_of},
};
use mgp_transport::seam::Incoming;
use mgp_types::rpc::{ErrorObject, RawResult};
use std::sync::Arc;

/// Answers a request of a server by asking the host of its call. `outside` returns the host that answers a request outside of a call.
pub(super) async fn answer(
    exchange: &Exchange,
    server: &Arc<Server>,
    message: Incoming,
    outside: &(dyn Fn() -> Option<Caller> + Send + Sync),
) -> Result<RawResult, ErrorObject> {
    let caller = match exchange.callers.asked(message.related_request()) {
        Ok(caller) => caller,
        Err(why) => {
            let outside = (why == NoCaller::None).then(outside).flatten();
            outside.ok_or_else(|| nobody(server, &message, why))?
        }
    };
    let cancel = message.cancel_token().cloned().unwrap_or_default();
    let question = HostQuestion {
        key: None,
        limit: server.spec.question_timeout,
        method: &message.method,
        params: message.params,
    };
    caller.answered(questions::ask(&exchange.elicited, server, &caller, question), &cancel).await
}

/// Returns the refusal of a request for which there is no host to ask.
fn nobody(server: &Server, message: &Incoming, why: NoCaller) -> ErrorObject {
    tracing::info!(server = server.id(), method = %message.method, %why, "nobody can be asked");
    if feature_of(&message.method).is_some() {
        ErrorObject::invalid_request(format!("{} cannot be asked of a host: {why}", message.method))
    } else {
        ErrorObject::method_not_found(&message.method)
    }
}
