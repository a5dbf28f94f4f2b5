//! The cost that a server claims for its tools.

use mgp_types::tool_metadata::{CostCategory, ToolMetadata};

/// The cost that a server claims for a call, anywhere in a tool's metadata. A claim can only raise the price of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostClaim {
    /// The units of quotas that a call spends, rounded up; 0 without a claim.
    pub units: u32,
    /// True if each call needs an approval because of its cost.
    pub requires_approval: bool,
}

impl CostClaim {
    /// Returns the claim of a tool's metadata. An unreadable one claims nothing.
    #[must_use]
    pub fn of(metadata: &ToolMetadata) -> Self {
        let Some(cost) = &metadata.cost else { return Self::default() };
        Self {
            // A float becomes the nearest integer in range.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            units: cost.estimated_units.unwrap_or(0.0).ceil() as u32,
            requires_approval: cost.category == CostCategory::RequiresApproval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::mcp::Tool;

    fn claim(tool: &str) -> (u32, bool) {
        let tool: Tool = serde_json::from_str(tool).unwrap();
        let CostClaim { units, requires_approval } = CostClaim::of(&ToolMetadata::of_tool(&tool).metadata);
        (units, requires_approval)
    }

    #[test]
    fn a_claim_is_read_from_every_place_and_the_costliest_counts() {
        for (tool, found) in [
            (r#"{"name":"t"}"#, (0, false)),
            (r#"{"name":"t","cost":{"category":"metered","estimated_units":4.2}}"#, (5, false)),
            (
                r#"{"name":"t","_meta":{"dev.cloto/tool":{"cost":{"estimated_units":3}}},"cost":{"estimated_units":2}}"#,
                (3, false),
            ),
            (r#"{"name":"t","cost":{"category":"requires_approval"}}"#, (0, true)),
            (r#"{"name":"t","_meta":{"cost":{"category":"requires_approval"}}}"#, (0, true)),
            (
                r#"{"name":"t","_meta":{"dev.cloto/tool":{"cost":{"category":"free"}},"cost":{"category":"requires_approval","estimated_units":2}}}"#,
                (2, true),
            ),
            (r#"{"name":"t","cost":{"estimated_units":-7}}"#, (0, false)),
            (r#"{"name":"t","cost":{"estimated_units":1e300}}"#, (u32::MAX, false)),
            (r#"{"name":"t","cost":{"estimated_units":"many","category":7}}"#, (0, false)),
            (r#"{"name":"t","cost":"a lot","_meta":{"dev.cloto/tool":[]}}"#, (0, false)),
        ] {
            assert_eq!(claim(tool), found, "{tool}");
        }
    }
}
