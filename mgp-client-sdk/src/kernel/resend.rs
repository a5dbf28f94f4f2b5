//! A call that is sent to its server once more, because the server ran nothing of it: without a token that the server refused, or with the
//! confirmation that the server wants.

use super::{rights::mark_waited, server::GrantedWish, session_states::SessionCall};
use futures_core::future::BoxFuture;
use mgp_lifecycle::retry::CallDeadline;
use mgp_security::{confirmed::is_confirmed, permission::ConfirmationGate};
use mgp_transport::seam::{CallRecord, Incoming, Refusal, Reply, ToolCall};
use mgp_types::proposals::{ConfirmationWish, GivenConfirmation};

/// A call as its host made it.
#[derive(Debug)]
pub(super) struct Resend {
    pub(super) message: Incoming,
    pub(super) record: CallRecord,
    pub(super) gate: ConfirmationGate,
    /// True once the server's wish for a confirmation was granted.
    pub(super) is_granted: bool,
}

impl Resend {
    /// Returns whether the caller has seen a part of the call, which it would see twice.
    pub(super) fn has_begun(&self) -> bool {
        self.record.update(|record| record.begun)
    }

    /// Returns the server's wish that the call be confirmed, if that is its last answer. A wish is granted once.
    pub(super) fn wish(&mut self) -> Option<ConfirmationWish> {
        let wish = self.record.update(|record| record.wish.take());
        wish.filter(|_| !std::mem::replace(&mut self.is_granted, true))
    }

    /// Asks for the confirmation that the server wants, unless the call was confirmed before, and returns the call as it is sent then: with the
    /// token that its session has by then.
    pub(super) fn confirm(
        &self,
        wish: ConfirmationWish,
        session: &mut SessionCall,
    ) -> BoxFuture<'static, Result<Incoming, Reply>> {
        let (mut message, gate, record) = (self.message.clone(), self.gate.clone(), self.record.clone());
        let session = session.waiting();
        Box::pin(async move {
            // The context of a call that is under way is its message's.
            if let Some(call) = ToolCall::of(&message) {
                let mut call = call.clone();
                (call.params, call.ext) = (message.params.clone(), message.ext.clone());
                if !is_confirmed(&record, &call.target.tool, call.arguments()) {
                    let confirmed = gate.confirm_for_server(call, &wish).await;
                    confirmed.map_err(|refusal: Refusal| refusal.recorded(&record))?;
                }
            }
            session.renew(&mut message).map_err(Reply::error)?;
            // Rights may have changed meanwhile, and the person took some of the time.
            mark_waited(&mut message);
            message.ext.remove::<CallDeadline>();
            message.ext.insert(GrantedWish(GivenConfirmation { token: wish.token }));
            Ok(message)
        })
    }
}
