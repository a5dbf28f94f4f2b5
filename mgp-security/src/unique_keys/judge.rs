//! The gate that refuses duplicate keys.

use crate::validator::Violation;
use mgp_transport::seam::{Decision, Judge, Refusal, ToolCall};

/// The gate that refuses calls with a duplicate key in an object, at any level.
#[derive(Debug, Clone, Copy, Default)]
pub struct UniqueKeys;

impl Judge for UniqueKeys {
    fn judge(&self, call: &ToolCall) -> Decision {
        let unique = match call.params.object() {
            Ok(params) => params.check_unique_keys().map_err(|error| error.to_string()),
            Err(error) => Err(error.message),
        };
        let violated = |problem| Violation::new("expected each key once in an object", vec![problem]);
        unique.map_err(|problem| Refusal::from(violated(problem))).into()
    }
}
