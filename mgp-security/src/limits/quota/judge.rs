//! The gates of quotas.

use super::Quotas;
use mgp_transport::seam::{Decision, Judge, ToolCall};

/// The gate that refuses a call whose quota has too little left, before anybody is asked about the call. It spends nothing, and notes
/// in the call's record what is left.
#[derive(Debug, Clone)]
pub struct QuotaCheck(pub Quotas);

/// The gate that spends a call's units, directly before dispatch.
#[derive(Debug, Clone)]
pub struct QuotaSpending(pub Quotas);

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

impl Judge for QuotaSpending {
    fn judge(&self, call: &ToolCall) -> Decision {
        // A dry run has been looked at by [`QuotaCheck`], and spends nothing.
        let Some(spending) = self.0.spending(call).filter(|_| !call.dry_run) else { return Decision::Allow };
        let quotas = self.0.clone();
        Decision::wait(async move { quotas.spend(spending).await })
    }
}
