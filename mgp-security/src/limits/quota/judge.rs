//! The gate of quotas.

use super::Quotas;
use mgp_transport::seam::{Decision, Judge, ToolCall};

/// The gate that refuses a call whose quota has too little left, before anybody is asked to approve the call. It spends nothing, and
/// notes the remaining quota in the call's record.
#[derive(Debug, Clone)]
pub struct QuotaCheck(pub Quotas);

impl Judge for QuotaCheck {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Some(spending) = self.0.spending(call) else { return Decision::Allow };
        let (quotas, record) = (self.0.clone(), call.record.clone());
        Decision::read(async move {
            let left = quotas.look(spending).await?;
            record.update(|record| record.quota = left);
            Ok(())
        })
    }
}
