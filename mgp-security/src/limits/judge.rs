//! The gates of limits.

use super::Limits;
use mgp_transport::seam::{Decision, Judge, ToolCall};

/// The gate that refuses calls of agents and API keys that call too often.
#[derive(Debug, Clone)]
pub struct CallerLimits(pub Limits);

/// The gate that refuses calls of servers and tools that are called too often.
#[derive(Debug, Clone)]
pub struct TargetLimits(pub Limits);

impl Judge for CallerLimits {
    fn judge(&self, call: &ToolCall) -> Decision {
        self.0.of_caller(call)
    }
}

impl Judge for TargetLimits {
    fn judge(&self, call: &ToolCall) -> Decision {
        self.0.of_target(call)
    }
}
