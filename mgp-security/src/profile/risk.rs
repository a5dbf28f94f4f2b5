//! §4.4 The risk of a tool, and the deciding factor.

use super::{ToolFacts, harm::Harm};
use mgp_types::{
    context::{RiskLevel, TrustLevel},
    permission::Permission,
    tool_security::{RiskFactors, ValidatorName, effective_risk},
};
use std::slice::from_ref;

/// Returns the risk of a tool, and the deciding factor, in a few words.
pub(super) fn risk(
    facts: &ToolFacts<'_>,
    permissions: &[Permission],
    validators: &[ValidatorName],
) -> (RiskLevel, Box<str>) {
    if let Some(risk) = facts.configured.risk {
        return (risk, "the configuration says so".into());
    }
    let declared = facts.security.as_ref().map(|security| security.risk_level).max(facts.metadata.risk());
    let factors = |validator| RiskFactors {
        validator,
        permissions,
        declared,
        annotations: facts.annotations,
        ..RiskFactors::of(facts.trust)
    };
    let bare = effective_risk(&factors(None));
    let risk = validators.iter().map(|name| effective_risk(&factors(Some(name)))).fold(bare, RiskLevel::max);
    if let Some(harm) = harm(facts, declared).filter(|_| risk < RiskLevel::Dangerous) {
        return (RiskLevel::Dangerous, harm.to_string().into());
    }
    (risk, reason(facts, declared, permissions, validators, risk).into())
}

/// Returns the harm that a tool's text states, if nothing else states its risk. The operator's trust in its server does.
fn harm(facts: &ToolFacts<'_>, declared: Option<RiskLevel>) -> Option<Harm> {
    let hints = facts.annotations;
    let has_hint =
        hints.is_some_and(|hints| hints.destructive_hint.is_some() || hints.read_only_hint == Some(true));
    let is_stated = facts.trust == TrustLevel::Trusted || declared.is_some() || has_hint;
    if is_stated { None } else { Harm::of(facts.name, facts.description) }
}

/// Returns the first factor that decides a risk on its own, in a few words.
fn reason(
    facts: &ToolFacts<'_>,
    declared: Option<RiskLevel>,
    permissions: &[Permission],
    validators: &[ValidatorName],
    risk: RiskLevel,
) -> String {
    let nothing = RiskFactors::of(TrustLevel::Trusted);
    let gives = |factors: RiskFactors<'_>| effective_risk(&factors) == risk;
    let hints = facts.annotations;
    if risk == RiskLevel::Safe {
        return match facts.trust {
            TrustLevel::Trusted => "you trust its server, and nothing says more".to_owned(),
            _ => "its server says that it only reads".to_owned(),
        };
    }
    if facts.security_unreadable && risk == RiskLevel::Dangerous {
        return "its security metadata cannot be read".to_owned();
    }
    if declared == Some(risk) {
        return "its server says so".to_owned();
    }
    if gives(RiskFactors { annotations: hints, ..nothing }) {
        return match hints.and_then(|hints| hints.destructive_hint) {
            Some(true) => "its server says that it destroys something (destructiveHint)".to_owned(),
            _ => "its server says that it changes something, or reaches others".to_owned(),
        };
    }
    let permission =
        permissions.iter().find(|one| gives(RiskFactors { permissions: from_ref(*one), ..nothing }));
    if let Some(permission) = permission {
        return format!("it needs the permission {permission}");
    }
    let validator = validators.iter().find(|one| gives(RiskFactors { validator: Some(*one), ..nothing }));
    if let Some(validator) = validator {
        return match validator {
            ValidatorName::Unknown(name) => format!("there is no validator {name:?}"),
            known => format!("the validator {known} has to read its calls"),
        };
    }
    format!("the trust in its server is {}, and nothing says less", facts.trust)
}

#[cfg(test)]
mod tests {
    use super::super::{ConfiguredTool, Confirmation, assess};
    use super::*;
    use mgp_types::{
        json::RawJson,
        mcp::{Tool, ToolAnnotations},
        tool_security::SecurityMetadata,
    };

    fn tool() -> Tool {
        Tool::new("t", RawJson::empty_object())
    }

    fn declaring(security: SecurityMetadata) -> Tool {
        Tool { security: Some(security), ..tool() }
    }

    #[test]
    fn a_tool_described_as_irreversible_is_dangerous() {
        let hints =
            |text: &str| RawJson::parse(text.to_owned()).unwrap().decode::<ToolAnnotations>().unwrap();
        let none = ConfiguredTool::default();
        let judge = |trust, annotations: Option<ToolAnnotations>, security| {
            let schema = RawJson::empty_object();
            let tool = Tool { annotations, security, ..Tool::new("delete_issue", schema) };
            let profile = assess(&ToolFacts::new(&tool, trust, &[], &none));
            (profile.risk, profile.confirmation, profile.risk_reason.to_string())
        };
        let (standard, asks) = (TrustLevel::Standard, Confirmation::UnlessApproved);
        for annotations in [None, Some(hints("{}")), Some(hints(r#"{"readOnlyHint":false,"title":"x"}"#))] {
            let (risk, confirmation, reason) = judge(standard, annotations, None);
            assert_eq!((risk, confirmation), (RiskLevel::Dangerous, asks));
            assert!(reason.starts_with(r#"its name ("delete") says"#), "{reason}");
        }
        let (risk, confirmation, reason) = judge(standard, Some(hints(r#"{"destructiveHint":false}"#)), None);
        assert_eq!((risk, confirmation), (RiskLevel::Moderate, Confirmation::Never));
        assert_eq!(reason, "the trust in its server is standard, and nothing says less");
        let declared = SecurityMetadata::new(RiskLevel::Moderate);
        assert_eq!(judge(standard, None, Some(declared)).0, RiskLevel::Moderate);
        assert_eq!(judge(TrustLevel::Trusted, None, None).0, RiskLevel::Safe);
        let (risk, _, reason) = judge(TrustLevel::Sandboxed, None, None);
        assert_eq!(risk, RiskLevel::Dangerous);
        assert_eq!(reason, "the trust in its server is sandboxed, and nothing says less");
    }

    #[test]
    fn the_reason_for_a_risk_is_its_deciding_factor() {
        let none = ConfiguredTool::default();
        let reason =
            |tool: &Tool| assess(&ToolFacts::new(tool, TrustLevel::Standard, &[], &none)).risk_reason;
        let needing = |name: &str| {
            declaring(SecurityMetadata {
                permissions_required: Some(vec![name.into()]),
                ..SecurityMetadata::new(RiskLevel::Safe)
            })
        };
        let validated =
            SecurityMetadata { validator: Some("homemade".into()), ..SecurityMetadata::new(RiskLevel::Safe) };
        let destructive = ToolAnnotations { destructive_hint: Some(true), ..Default::default() };
        for (tool, expected) in [
            (needing("shell.execute"), "it needs the permission shell.execute"),
            (declaring(validated), "there is no validator \"homemade\""),
            (declaring(SecurityMetadata::new(RiskLevel::Dangerous)), "its server says so"),
            (
                Tool { annotations: Some(destructive), ..tool() },
                "its server says that it destroys something (destructiveHint)",
            ),
        ] {
            assert_eq!(&*reason(&tool), expected);
        }
    }
}
