//! Gates that do not refuse compensations.

use mgp_lifecycle::transaction::CompensationMark;
use mgp_transport::seam::{Decision, Judge, ToolCall};

/// A gate of limits that counts every call, but refuses no compensation. Otherwise a step would not be undone because its caller was too busy.
/// The layer that spends units [spares](mgp_security::limits::quota::QuotaSpendingLayer::spare) these calls itself.
#[derive(Debug, Clone)]
pub(crate) struct CompensationPass<J>(pub(crate) J);

impl<J: Judge> Judge for CompensationPass<J> {
    fn judge(&self, call: &ToolCall) -> Decision {
        let decision = self.0.judge(call);
        if !is_compensation(call) {
            return decision;
        }
        match decision {
            Decision::Allow | Decision::Refuse(_) => Decision::Allow,
            Decision::Wait(decision) => Decision::wait(async {
                let _ = decision.await;
                Ok(())
            }),
            Decision::Read(decision) => Decision::read(async {
                let _ = decision.await;
                Ok(())
            }),
        }
    }
}

/// Returns whether a call undoes a step.
pub(crate) fn is_compensation<P>(call: &ToolCall<P>) -> bool {
    CompensationMark::of_call(call).is_some()
}
