//! The sentence for hosts whose users the gateway cannot ask.

use super::Greeter;
use crate::catalog::{tools::ToolEntry, unavailable::waiting_groups};
use mgp_security::permission::patient_wait;
use mgp_transport::seam::{Session, Visibility};
use mgp_types::{context::Principal, tool_security::Confirmation};
use std::sync::Arc;

/// Returns the sentence for a caller whose host is not asked, if a call of one of its tools may need an approval. `session` determines the
/// wait of such a call.
pub(super) fn without_questions(
    greeter: &Greeter,
    principal: &Principal,
    session: Option<&Session>,
) -> Option<String> {
    let wait = greeter.settings.approval_wait?;
    let (view, table) = (greeter.tools.offered.view(principal), greeter.tools.load());
    let asks = table.names.iter().any(|named| {
        let id = named.tool.id();
        let asks = |entry: &Arc<ToolEntry>| entry.profile.confirmation != Confirmation::Never;
        view.sees(id) && table.entry(id).is_some_and(asks)
    });
    let waits = || !waiting_groups(&greeter.rights, &table, Some(principal)).is_empty();
    (asks || waits()).then(|| {
        format!(
            "This host shows its user no questions of the gateway: a call that needs an approval waits up to {:?} for \
             `mgp approve` in a terminal, and is then refused with the id to approve; make it again once it is approved.",
            patient_wait(session, wait)
        )
    })
}
