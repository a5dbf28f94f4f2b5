//! Calls whose server requests a confirmation after it received them (proposal 6 of the extension proposals).

use super::ConfirmationGate;
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::{json::RawObject, proposals::WantedConfirmation, tool_metadata::fill_confirmation};
use std::sync::Arc;

impl ConfirmationGate {
    /// Asks for the confirmation of a call that its server did not make, because the server requests a confirmation. The server's
    /// declaration can raise the risk that is shown, but never lowers it.
    ///
    /// # Errors
    /// The refusal, if the call is not confirmed in time, or at all.
    pub async fn confirm_for_server(
        &self,
        mut call: ToolCall,
        wanted: &WantedConfirmation,
    ) -> Result<(), Refusal> {
        if wanted.risk > call.profile.risk {
            Arc::make_mut(&mut call.profile).risk = wanted.risk;
        }
        // The time since the call was sent to its server does not count as a wait for an approval.
        call.record.update(|record| record.waits_since = None);
        let reason = reason(&call, wanted);
        self.confirm(&call, false, Some(reason)).await
    }
}

fn reason(call: &ToolCall, wanted: &WantedConfirmation) -> String {
    let wants = "its server did not make the call, because it wants the call to be confirmed";
    let Some(message) = &wanted.message else { return wants.to_owned() };
    let arguments = call.shown_arguments.as_ref().or_else(|| call.arguments());
    let arguments = arguments.and_then(|arguments| RawObject::from_json(arguments).ok());
    format!("{wants}; it says: {:?}", fill_confirmation(message, &arguments.unwrap_or_default()))
}
