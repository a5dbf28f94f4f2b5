//! The confirmation of a call in a dry run: the stored answers are read, nobody is asked, and no approval is used up.

use super::{
    ConfirmationGate, ConfirmationState,
    judge::{MAX_ARGUMENTS, broken, confirmed, key, question},
    refusal::{denied, full, too_long},
    store::AskedCall,
};
use crate::permission::ConfirmationQuestion;
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::{
    json::RawJson,
    tool_check::{CallQuestion, QuestionKind},
};

impl ConfirmationGate {
    /// Judges a call as [`confirm`](Self::confirm) does, and notes in its record the question that would be asked.
    ///
    /// # Errors
    /// The refusal, if no answer to the question would let the call go.
    pub(super) async fn foresee(
        &self,
        call: &ToolCall,
        asks: bool,
        doubt: Option<String>,
    ) -> Result<(), Refusal> {
        let mut question = question(call, asks, doubt);
        question.session = call.session().and_then(self.session_name);
        let none = RawJson::empty_object();
        let arguments = question.arguments.as_ref().unwrap_or(&none);
        let length = arguments.as_bytes().len();
        if length > MAX_ARGUMENTS {
            return Err(too_long(call, length, MAX_ARGUMENTS));
        }
        let key = key(call, &question);
        let (reason, session) = (&*question.reason, question.session.as_deref());
        let asked = AskedCall { key: &key, arguments, reason, session };
        let row = self.confirmations.find(asked).await.map_err(|error| broken(&error))?;
        let open = match row {
            Some(row) if row.is_denial() => return Err(denied(call, &row)),
            Some(row) if row.state == ConfirmationState::Open => Some(row.id),
            Some(row) if row.state != ConfirmationState::Approved || !question.every_time => {
                confirmed(call, &row, None);
                return Ok(());
            }
            // An approval of more than one call, of a tool whose every call is now asked about.
            Some(_) => None,
            None => {
                let bound = self.confirmations.bound(&key.agent_id).await.map_err(|error| broken(&error))?;
                if let Some(bound) = bound.filter(|_| !self.approver.is_attended(&question)) {
                    return Err(full(call, &key.agent_id, bound));
                }
                None
            }
        };
        call.record.would_ask(foreseen(question, open));
        Ok(())
    }
}

fn foreseen(question: ConfirmationQuestion, request_id: Option<String>) -> CallQuestion {
    CallQuestion {
        risk_level: Some(question.risk),
        request_id,
        ..CallQuestion::new(QuestionKind::Confirmation, question.reason)
    }
}
