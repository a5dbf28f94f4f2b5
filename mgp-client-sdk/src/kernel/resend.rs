//! A call that is sent to its server again, because the server ran nothing of it: without the token that the server refused, or with the
//! confirmation that the server wants.

use super::{rights::mark_waited, server::GrantedWish, session_states::SessionCall};
use futures_core::future::BoxFuture;
use mgp_lifecycle::retry::CallDeadline;
use mgp_security::{confirmed::is_confirmed, permission::ConfirmationGate};
use mgp_transport::seam::{CallRecord, Incoming, Refusal, Reply, ToolCall};
use mgp_types::{
    proposals::{ConfirmationWish, GivenConfirmation},
    rpc::ErrorObject,
};

/// The most times that a call is sent with another token because its server refused the one before.
const MAX_RENEWALS: u8 = 3;

/// A call as its host made it, or as somebody confirmed it.
#[derive(Debug)]
pub(super) struct Resend {
    pub(super) message: Incoming,
    pub(super) record: CallRecord,
    pub(super) gate: ConfirmationGate,
    /// True once the server's wish for a confirmation was granted.
    pub(super) is_granted: bool,
    /// The number of times that the call was sent with another token.
    pub(super) renewals: u8,
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

    /// Returns the call as it is sent after its server refused the token that it brought: with the one that another call of the session got
    /// meanwhile, or without one.
    pub(super) fn renewed(&mut self, session: &mut SessionCall) -> Result<Incoming, ErrorObject> {
        let mut message = self.message.clone();
        if self.renewals < MAX_RENEWALS {
            self.renewals += 1;
            session.bring(&mut message)?;
        }
        Ok(message)
    }

    /// Returns the call as it is sent after it was confirmed, with the token that its session has by now.
    pub(super) fn confirmed(
        &mut self,
        confirmed: Incoming,
        session: &mut SessionCall,
    ) -> Result<Incoming, ErrorObject> {
        let mut message = confirmed.clone();
        self.message = confirmed;
        session.bring(&mut message)?;
        Ok(message)
    }

    /// Asks for the confirmation that the server wants, unless the call was confirmed before, and returns the call with it.
    pub(super) fn confirm(&self, wish: ConfirmationWish) -> BoxFuture<'static, Result<Incoming, Reply>> {
        let (mut message, gate, record) = (self.message.clone(), self.gate.clone(), self.record.clone());
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
            // Rights may have changed meanwhile, and the person took some of the time.
            mark_waited(&mut message);
            message.ext.remove::<CallDeadline>();
            message.ext.insert(GrantedWish(GivenConfirmation { token: wish.token }));
            Ok(message)
        })
    }
}
