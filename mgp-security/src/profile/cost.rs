//! The cost that a server claims for its tools.

use mgp_types::{json::RawObject, mcp::Tool, tool_metadata::TOOL_KEY};

/// The cost that a server claims for a call: in the tool's `_meta["dev.cloto/tool"]`, or in a member of the tool's own. A claim can only
/// make a call dearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostClaim {
    /// The units of quotas that a call spends, rounded up; 0 without a claim.
    pub units: u32,
    /// True if somebody should approve each call, because it costs.
    pub requires_approval: bool,
}

impl CostClaim {
    /// Reads the claim of a tool's definition. What cannot be read claims nothing.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let of_meta =
            tool.meta.as_ref().and_then(|meta| meta.object(TOOL_KEY)).and_then(|meta| meta.object("cost"));
        let own = tool.other.object("cost");
        let claims = [of_meta, own].into_iter().flatten().map(|cost| Self::read(&cost));
        claims.fold(Self::default(), |one, other| Self {
            units: one.units.max(other.units),
            requires_approval: one.requires_approval || other.requires_approval,
        })
    }

    fn read(cost: &RawObject) -> Self {
        let units: f64 = cost.decode("estimated_units").ok().flatten().unwrap_or(0.0);
        Self {
            // A float becomes the nearest integer that there is.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            units: units.ceil() as u32,
            requires_approval: cost.text("category").as_deref() == Some("requires_approval"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(tool: &str) -> (u32, bool) {
        let tool: Tool = serde_json::from_str(tool).unwrap();
        let CostClaim { units, requires_approval } = CostClaim::of(&tool);
        (units, requires_approval)
    }

    #[test]
    fn a_claim_is_read_from_both_places_and_the_dearer_one_counts() {
        for (tool, found) in [
            (r#"{"name":"t"}"#, (0, false)),
            (r#"{"name":"t","cost":{"category":"metered","estimated_units":4.2}}"#, (5, false)),
            (
                r#"{"name":"t","_meta":{"dev.cloto/tool":{"cost":{"estimated_units":3}}},"cost":{"estimated_units":2}}"#,
                (3, false),
            ),
            (r#"{"name":"t","cost":{"category":"requires_approval"}}"#, (0, true)),
            (r#"{"name":"t","cost":{"estimated_units":-7}}"#, (0, false)),
            (r#"{"name":"t","cost":{"estimated_units":1e300}}"#, (u32::MAX, false)),
            (r#"{"name":"t","cost":{"estimated_units":"many","category":7}}"#, (0, false)),
            (r#"{"name":"t","cost":"a lot","_meta":{"dev.cloto/tool":[]}}"#, (0, false)),
        ] {
            assert_eq!(claim(tool), found, "{tool}");
        }
    }
}
