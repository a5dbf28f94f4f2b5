//! Answers the requests that a server sends on its own initiative.

use super::{Exchange, questions};
use crate::{
    features::tasks::task_of,
    ground::caller::{Caller, NoCaller},
    upstream::{HostQuestion, Server, ask_guest, feature_of, is_guest},
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
    let is_for_guest = is_guest(&caller.peer);
    if server.spec.shared && !is_for_guest && task_of(&message).is_some() {
        // Another kernel that uses the process created the task, and its hosts are asked.
        return Err(ErrorObject::invalid_request("nobody can be asked for the task"));
    }
    if is_for_guest {
        let asked = ask_guest(&caller.peer, &message.method, message.params);
        return caller.answered(asked, &cancel).await;
    }
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
