//! The risk that policy uses: the kernel's own judgement. A server's claims can only raise it, with one exception: a server of the operator's
//! own configuration may declare that a tool only reads.

use super::ValidatorName;
use crate::{
    context::{RiskLevel, TrustLevel},
    permission::{Permission, StandardPermission},
    tool_annotations::ToolAnnotations,
};

/// The factors from which the risk of a tool is judged.
#[derive(Debug, Clone, Copy)]
pub struct RiskFactors<'a> {
    /// The trust level of the tool's server.
    pub trust: TrustLevel,
    /// The validator that checks calls of the tool.
    pub validator: Option<&'a ValidatorName>,
    /// The permissions that a call needs.
    pub permissions: &'a [Permission],
    /// The server's own `risk_level`.
    pub declared: Option<RiskLevel>,
    /// MCP's own hints.
    pub annotations: Option<&'a ToolAnnotations>,
}

impl RiskFactors<'_> {
    /// Creates the factors of a tool with only the trust level of its server.
    #[must_use]
    pub const fn of(trust: TrustLevel) -> Self {
        Self { trust, validator: None, permissions: &[], declared: None, annotations: None }
    }
}

/// Returns the highest risk that any factor gives (§4.4).
///
/// The trust level of the server is the floor: safe for a trusted server, moderate for a standard one, dangerous for a sandboxed one. A tool
/// of a standard server with `readOnlyHint: true`, and without `destructiveHint: true`, has the floor of a trusted one. Sandboxed servers,
/// and servers that were registered at run time, lower nothing.
///
/// ```
/// use mgp_types::context::{RiskLevel, TrustLevel};
/// use mgp_types::tool_security::{RiskFactors, effective_risk};
/// let factors = RiskFactors { declared: Some(RiskLevel::Safe), ..RiskFactors::of(TrustLevel::Sandboxed) };
/// assert_eq!(effective_risk(&factors), RiskLevel::Dangerous);
/// ```
#[must_use]
pub fn effective_risk(factors: &RiskFactors<'_>) -> RiskLevel {
    let by_trust = match factors.trust {
        TrustLevel::Trusted => RiskLevel::Safe,
        // The operator chose this server, so its claim that a tool only reads is trusted.
        TrustLevel::Standard if factors.annotations.is_some_and(only_reads) => RiskLevel::Safe,
        TrustLevel::Standard => RiskLevel::Moderate,
        TrustLevel::Sandboxed => RiskLevel::Dangerous,
    };
    let by_permission = factors.permissions.iter().map(by_permission).max();
    [
        factors.validator.map(by_validator),
        by_permission,
        factors.declared,
        factors.annotations.map(by_annotations),
    ]
    .into_iter()
    .flatten()
    .fold(by_trust, RiskLevel::max)
}

fn by_validator(validator: &ValidatorName) -> RiskLevel {
    match validator {
        ValidatorName::Readonly | ValidatorName::None => RiskLevel::Safe,
        ValidatorName::Sandbox | ValidatorName::NetworkRestricted | ValidatorName::CodeSafety => {
            RiskLevel::Moderate
        }
        ValidatorName::Unknown(_) => RiskLevel::Dangerous,
    }
}

fn by_permission(permission: &Permission) -> RiskLevel {
    use StandardPermission::{Camera, CodeExecution, NetworkListen, ShellExecute};
    match permission {
        Permission::Standard(ShellExecute | CodeExecution | NetworkListen | Camera) => RiskLevel::Dangerous,
        Permission::Standard(other) if other.risk() == RiskLevel::Dangerous => RiskLevel::Moderate,
        _ => RiskLevel::Safe,
    }
}

/// Returns the risk that the hints state. Only a hint of a risk counts; an absent hint states nothing.
fn by_annotations(hints: &ToolAnnotations) -> RiskLevel {
    if hints.destructive_hint == Some(true) {
        RiskLevel::Dangerous
    } else if only_reads(hints) {
        RiskLevel::Safe
    } else if hints.read_only_hint == Some(false) || hints.open_world_hint == Some(true) {
        RiskLevel::Moderate
    } else {
        RiskLevel::Safe
    }
}

/// Returns whether the hints state that the tool changes nothing, even if it reads from the open world.
fn only_reads(hints: &ToolAnnotations) -> bool {
    hints.read_only_hint == Some(true) && hints.destructive_hint != Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use RiskLevel::{Dangerous, Moderate, Safe};

    const TRUSTED: RiskFactors<'static> = RiskFactors::of(TrustLevel::Trusted);

    #[test]
    fn trust_sets_the_floor() {
        for (trust, risk) in [
            (TrustLevel::Trusted, Safe),
            (TrustLevel::Standard, Moderate),
            (TrustLevel::Sandboxed, Dangerous),
        ] {
            assert_eq!(effective_risk(&RiskFactors::of(trust)), risk);
        }
    }

    #[test]
    fn a_validator_vouches_for_the_part_it_guards() {
        for (name, risk) in [
            ("readonly", Safe),
            ("none", Safe),
            ("sandbox", Moderate),
            ("network_restricted", Moderate),
            ("code_safety", Moderate),
            ("homemade", Dangerous),
        ] {
            let validator = ValidatorName::from(name);
            assert_eq!(
                effective_risk(&RiskFactors { validator: Some(&validator), ..TRUSTED }),
                risk,
                "{name}"
            );
        }
    }

    #[test]
    fn permissions_raise_it() {
        for (name, risk) in [
            ("shell.execute", Dangerous),
            ("code_execution", Dangerous),
            ("network.listen", Dangerous),
            ("camera", Dangerous),
            ("filesystem.write", Moderate),
            ("filesystem.read", Safe),
            ("com.example.custom", Safe),
        ] {
            let permissions = [StandardPermission::Notification.into(), name.parse().unwrap()];
            assert_eq!(effective_risk(&RiskFactors { permissions: &permissions, ..TRUSTED }), risk, "{name}");
        }
    }

    #[test]
    fn a_server_s_own_claims_only_raise_it() {
        let safe = ToolAnnotations {
            read_only_hint: Some(true),
            destructive_hint: Some(false),
            ..Default::default()
        };
        let destructive = ToolAnnotations { destructive_hint: Some(true), ..Default::default() };
        let sandboxed = RiskFactors::of(TrustLevel::Sandboxed);
        let calm = RiskFactors { declared: Some(Safe), annotations: Some(&safe), ..sandboxed };
        assert_eq!(effective_risk(&calm), Dangerous);
        assert_eq!(effective_risk(&RiskFactors { declared: Some(Dangerous), ..TRUSTED }), Dangerous);
        assert_eq!(effective_risk(&RiskFactors { annotations: Some(&destructive), ..TRUSTED }), Dangerous);
    }

    #[test]
    fn a_configured_server_can_declare_a_tool_read_only() {
        let hints = |read_only, destructive, open_world| ToolAnnotations {
            read_only_hint: read_only,
            destructive_hint: destructive,
            open_world_hint: open_world,
            ..Default::default()
        };
        let (yes, no) = (Some(true), Some(false));
        for (trust, hints, risk) in [
            (TrustLevel::Standard, hints(yes, None, None), Safe),
            (TrustLevel::Standard, hints(yes, no, yes), Safe),
            (TrustLevel::Standard, hints(yes, yes, None), Dangerous),
            (TrustLevel::Standard, hints(no, no, None), Moderate),
            (TrustLevel::Standard, hints(None, None, None), Moderate),
            (TrustLevel::Trusted, hints(yes, None, yes), Safe),
            (TrustLevel::Trusted, hints(None, None, yes), Moderate),
            (TrustLevel::Sandboxed, hints(yes, no, no), Dangerous),
        ] {
            let factors = RiskFactors { annotations: Some(&hints), ..RiskFactors::of(trust) };
            assert_eq!(effective_risk(&factors), risk, "{trust} {hints:?}");
        }
        let reads = hints(yes, None, None);
        let standard = RiskFactors { annotations: Some(&reads), ..RiskFactors::of(TrustLevel::Standard) };
        for (name, risk) in [("readonly", Safe), ("sandbox", Moderate), ("code_safety", Moderate)] {
            let validator = ValidatorName::from(name);
            let factors = RiskFactors { validator: Some(&validator), ..standard };
            assert_eq!(effective_risk(&factors), risk, "{name}");
        }
        assert_eq!(effective_risk(&RiskFactors { declared: Some(Moderate), ..standard }), Moderate);
    }
}
