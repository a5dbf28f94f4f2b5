//! Resends a call of which its server ran nothing: without the session token that the server rejected, or with the confirmation that the
//! server requires.

use crate::features::session_states::SessionCall;
use futures_core::future::BoxFuture;
use mgp_lifecycle::retry::CallDeadline;
use mgp_security::{confirmed::is_confirmed, permission::ConfirmationGate};
use mgp_transport::seam::{CallRecord, Incoming, Refusal, Reply, ToolCall};
use mgp_types::{
    proposals::{GivenConfirmation, WantedConfirmation},
    rpc::ErrorObject,
};

/// The maximum number of times that a call is resent with another token because its server rejected the previous one.
const MAX_RENEWALS: u8 = 3;

/// The call of a host, or a confirmed call.
#[derive(Debug)]
pub(crate) struct Resend {
    pub(crate) message: Incoming,
    pub(crate) record: CallRecord,
    pub(crate) gate: ConfirmationGate,
    /// True once the server's request for a confirmation was granted.
    pub(crate) is_granted: bool,
    /// The number of times that the call was resent with another token.
    pub(crate) renewals: u8,
}

impl Resend {
    /// Returns whether the caller has seen a part of the call, which it would see twice.
    pub(crate) fn has_begun(&self) -> bool {
        self.record.update(|record| record.begun)
    }

    /// Returns the server's request for a confirmation of the call, if that is its last answer. A request is granted
    /// once.
    pub(crate) fn wanted(&mut self) -> Option<WantedConfirmation> {
        let wanted = self.record.update(|record| record.wanted.take());
        wanted.filter(|_| !std::mem::replace(&mut self.is_granted, true))
    }

    /// Returns the call to resend after its server rejected its token: with the token that another call of the session got meanwhile, or
    /// without one.
    pub(crate) fn renewed(&mut self, session: &mut SessionCall) -> Result<Incoming, ErrorObject> {
        let mut message = self.message.clone();
        if self.renewals < MAX_RENEWALS {
            self.renewals += 1;
            session.bring(&mut message)?;
        }
        Ok(message)
    }

    /// Returns the call to resend after its confirmation, with the current token of its session.
    pub(crate) fn confirmed(
        &mut self,
        confirmed: Incoming,
        session: &mut SessionCall,
    ) -> Result<Incoming, ErrorObject> {
        let mut message = confirmed.clone();
        self.message = confirmed;
        session.bring(&mut message)?;
        Ok(message)
    }

    /// Asks for the confirmation that the server requires, unless the call was confirmed before, and returns the call with
    /// it.
    pub(crate) fn confirm(&self, wanted: WantedConfirmation) -> BoxFuture<'static, Result<Incoming, Reply>> {
        let (mut message, gate, record) = (self.message.clone(), self.gate.clone(), self.record.clone());
        Box::pin(async move {
            // The context of a call in flight is its message's.
            if let Some(call) = ToolCall::of(&message) {
                let mut call = call.clone();
                (call.params, call.ext) = (message.params.clone(), message.ext.clone());
                if !is_confirmed(&record, &call.target.tool, call.arguments()) {
                    let confirmed = gate.confirm_for_server(call, &wanted).await;
                    confirmed.map_err(|refusal: Refusal| refusal.recorded(&record))?;
                }
            }
            // Rights may have changed meanwhile, and the person's answer took a part of the time.
            message.set_waited();
            CallDeadline::remove(&mut message);
            if let Some(call) = ToolCall::of_mut(&mut message) {
                call.options_mut().confirmation = Some(GivenConfirmation { token: wanted.token });
            }
            Ok(message)
        })
    }
}
