//! §13.4 The callbacks for questions to a client that shows no forms.

use super::AskError;
use crate::Call;
use mgp_stream::callbacks::{CallbackError, CallbackForm, OpenCallbacks};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    callback::CallbackRequest,
    mcp::ElicitResult,
    negotiation::{Extension, Negotiation},
    rpc::{Notice, RequestId},
};
use std::time::Duration;

/// The time limit of a callback, unless the handler sets another.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The callbacks of one call, to a client that negotiated them.
#[derive(Debug, Clone)]
pub(super) struct CallCallbacks {
    peer: Peer,
    request_id: Option<RequestId>,
    pub(super) timeout: Duration,
}

impl CallCallbacks {
    /// Returns the callbacks of a call, or `None` if its client did not negotiate the extension.
    pub(super) fn of(call: &Call) -> Option<Self> {
        let peer = call.peer()?;
        let negotiated = call.session()?.get::<Negotiation>()?;
        let request_id = call.incoming().id.clone();
        negotiated.has(Extension::Callbacks).then(|| Self {
            peer: peer.clone(),
            request_id,
            timeout: TIMEOUT,
        })
    }

    /// Sends a form and waits for its answer.
    pub(super) async fn ask(&self, form: CallbackForm) -> Result<ElicitResult, AskError> {
        let open = OpenCallbacks::of(self.peer.session());
        let asked = open.ask_form(&self.peer, self.request_id.clone(), form, self.timeout);
        asked.await.map_err(|error| match error {
            CallbackError::TooMany { limit } => AskError::TooMany { limit },
            CallbackError::TimedOut(timeout) => {
                AskError::Call(CallError::Timeout { method: CallbackRequest::METHOD, timeout })
            }
            CallbackError::Refused(error) => AskError::Call(CallError::Peer(error)),
            CallbackError::Send(error) => AskError::Call(error),
            error => AskError::Call(CallError::Unreadable(error.to_string())),
        })
    }

    /// Sends a text that needs no answer.
    pub(super) async fn inform(&self, message: String) -> Result<(), AskError> {
        let open = OpenCallbacks::of(self.peer.session());
        open.inform(&self.peer, self.request_id.clone(), message).await.map_err(AskError::Call)
    }
}
