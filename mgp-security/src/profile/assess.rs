//! §4.4, §4.5 The assessment of a tool: the strictest of the configured, declared and guessed values.

use super::{
    Confirmation, Leaves, ToolFacts, ToolProfile,
    fallback::{Guess, language_of},
    risk::risk,
};
use mgp_types::{
    code_safety::CodeSafety,
    context::{RiskLevel, TrustLevel},
    permission::{Permission, StandardPermission},
    tool_security::{SideEffect, ValidatorName},
};

/// Assesses a tool. Its server's declarations can only make the assessment stricter, except that a trusted server can rule out a guess.
///
/// ```
/// use mgp_security::profile::{ConfiguredTool, ToolFacts, assess};
/// use mgp_types::{context::{RiskLevel, TrustLevel}, json::RawJson, mcp::Tool, tool_security::ValidatorName};
///
/// let schema = RawJson::parse(r#"{"type":"object","properties":{"command":{"type":"string"}}}"#)?;
/// let tool = Tool::new("execute_command", schema);
/// let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &ConfiguredTool::default()));
/// assert_eq!(profile.validators, [ValidatorName::Sandbox]);
/// assert_eq!(profile.risk, RiskLevel::Moderate);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn assess(facts: &ToolFacts<'_>) -> ToolProfile {
    let (permissions, invalid_permissions) = permissions(facts);
    let guess = Guess::of(facts.name, facts.description, facts.input_schema);
    let takes_commands = has_commands(facts, &guess);
    let validators = validators(facts, guess);
    let (risk, risk_reason) = risk(facts, &permissions, &validators);
    ToolProfile {
        confirmation: confirmation(facts, risk),
        leaves: match &facts.configured.pointers[..] {
            [] => Leaves::All,
            pointers => Leaves::At(pointers.to_vec()),
        },
        code_safety: code_safety(facts),
        takes_commands,
        sandbox: facts.configured.sandbox.clone(),
        readonly: facts.configured.readonly.clone(),
        confirmation_message: facts.metadata.confirmation_message.as_deref().map(Box::from),
        max_input_bytes: facts.metadata.max_input_size_bytes,
        reads_only: reads_only(facts, &permissions),
        claimed_units: facts.cost.units,
        definition: facts.definition,
        permissions,
        invalid_permissions,
        risk,
        risk_reason,
        validators,
    }
}

/// Returns the declarations about the tool's code, the operator's first. A server that the operator does not trust cannot lower the
/// kernel's own level. If none names the language, it is guessed from the tool's name and description.
fn code_safety(facts: &ToolFacts<'_>) -> Vec<CodeSafety> {
    let declared = facts.security.as_ref().and_then(|security| security.code_safety.clone());
    let vouched = facts.trust == TrustLevel::Trusted && declared.is_some();
    let least = (facts.configured.code_safety.is_none() && !vouched).then(CodeSafety::default);
    let mut all: Vec<_> =
        [facts.configured.code_safety.clone(), least, declared].into_iter().flatten().collect();
    if all.iter().all(|one| one.language.is_none())
        && let Some(first) = all.first_mut()
    {
        first.language = language_of(facts.name, facts.description).map(str::to_owned);
    }
    all
}

fn permissions(facts: &ToolFacts<'_>) -> (Vec<Permission>, Vec<String>) {
    let own = facts.security.as_ref().and_then(|security| security.permissions_required.as_deref());
    let mut valid = facts.configured.permissions.clone();
    let mut invalid = Vec::new();
    for name in own.unwrap_or(facts.server_permissions) {
        match Permission::expand(name) {
            Ok(members) => valid.extend(members),
            Err(_) => invalid.push(name.clone()),
        }
    }
    valid.sort_unstable();
    valid.dedup();
    (valid, invalid)
}

fn validators(facts: &ToolFacts<'_>, guess: Guess) -> Vec<ValidatorName> {
    let declared = facts.security.as_ref().and_then(|security| security.validator.clone());
    let unreadable = facts.security_unreadable.then_some(ValidatorName::Sandbox);
    // Only a server that the operator trusts can declare that its tool needs no guessed validator.
    let vouched =
        facts.trust == TrustLevel::Trusted && facts.security.is_some() && !facts.security_unreadable;
    let guessed = guess.validator.filter(|_| !vouched && facts.configured.validator.is_none());
    let mut all: Vec<ValidatorName> = Vec::with_capacity(2);
    for name in [facts.configured.validator.clone(), declared, unreadable, guessed].into_iter().flatten() {
        if name != ValidatorName::None && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Returns whether the strings of a tool are commands. They are if the operator sets `sandbox` for the tool itself, if the tool's
/// definition suggests it, or if its security metadata cannot be read. A declared `sandbox` is not enough.
fn has_commands(facts: &ToolFacts<'_>, guess: &Guess) -> bool {
    let configured = facts.configured;
    let of_tool = configured.validator == Some(ValidatorName::Sandbox) && !configured.validator_of_server;
    of_tool || facts.security_unreadable || guess.takes_commands
}

fn confirmation(facts: &ToolFacts<'_>, risk: RiskLevel) -> Confirmation {
    if let Some(configured) = facts.configured.confirmation {
        return configured;
    }
    let of_mgp = facts.security.as_ref().and_then(|security| security.confirmation_required);
    if [of_mgp, facts.metadata.requires_confirmation].contains(&Some(true)) || facts.cost.requires_approval {
        return Confirmation::Always;
    }
    match risk {
        RiskLevel::Dangerous => Confirmation::UnlessApproved,
        RiskLevel::Moderate if facts.configured.confirm_moderate => Confirmation::UnlessApproved,
        RiskLevel::Safe | RiskLevel::Moderate => Confirmation::Never,
    }
}

fn reads_only(facts: &ToolFacts<'_>, permissions: &[Permission]) -> bool {
    use StandardPermission::{FilesystemRead, MemoryRead, NetworkOutbound, SystemInfo};
    let reading = |permission: &Permission| {
        matches!(permission, Permission::Standard(FilesystemRead | MemoryRead | NetworkOutbound | SystemInfo))
    };
    let hints = facts.annotations;
    let hinted = hints.and_then(|hints| hints.read_only_hint);
    let declared = facts.security.as_ref().map(|security| {
        security.risk_level == RiskLevel::Safe
            && security.side_effects.as_deref().is_none_or(<[SideEffect]>::is_empty)
    });
    let said_so = hinted == Some(true) || declared == Some(true);
    // A moderate risk does not mean that the tool writes: reading files and using the network are moderate too (§3.2).
    let writes = facts.security.as_ref().is_some_and(|security| {
        security.risk_level == RiskLevel::Dangerous
            || security.side_effects.as_deref().is_some_and(|effects| !effects.is_empty())
    });
    let denied = hinted == Some(false)
        || facts.metadata.risk().is_some_and(|risk| risk > RiskLevel::Safe)
        || writes
        || hints.and_then(|hints| hints.destructive_hint) == Some(true);
    said_so && !denied && permissions.iter().all(reading)
}

#[cfg(test)]
mod tests {
    use super::super::ConfiguredTool;
    use super::*;
    use mgp_types::{
        context::TrustLevel,
        json::RawJson,
        mcp::{Tool, ToolAnnotations},
        tool_security::SecurityMetadata,
    };
    use std::slice::from_ref;

    fn tool() -> Tool {
        Tool::new("t", RawJson::empty_object())
    }

    fn declaring(security: SecurityMetadata) -> Tool {
        Tool { security: Some(security), ..tool() }
    }

    fn judged(tool: &Tool, configured: &ConfiguredTool) -> ToolProfile {
        assess(&ToolFacts::new(tool, TrustLevel::Trusted, &[], configured))
    }

    #[test]
    fn a_declaration_adds_validators_and_removes_none() {
        let configured = ConfiguredTool { validator: Some(ValidatorName::Sandbox), ..Default::default() };
        for (declared, all) in [
            (ValidatorName::None, vec![ValidatorName::Sandbox]),
            (ValidatorName::Readonly, vec![ValidatorName::Sandbox, ValidatorName::Readonly]),
            (ValidatorName::Sandbox, vec![ValidatorName::Sandbox]),
        ] {
            let security =
                SecurityMetadata { validator: Some(declared), ..SecurityMetadata::new(RiskLevel::Safe) };
            assert_eq!(judged(&declaring(security), &configured).validators, all);
        }
    }

    #[test]
    fn a_configured_none_does_not_lift_a_declared_validator() {
        let configured = ConfiguredTool { validator: Some(ValidatorName::None), ..Default::default() };
        let security =
            SecurityMetadata { validator: Some("homemade".into()), ..SecurityMetadata::new(RiskLevel::Safe) };
        let profile = judged(&declaring(security), &configured);
        assert_eq!(profile.validators, [ValidatorName::Unknown("homemade".into())]);
        assert_eq!(profile.risk, RiskLevel::Dangerous);
    }

    #[test]
    fn guesses_count_only_without_a_trusted_declaration() {
        let schema = RawJson::parse(r#"{"properties":{"command":{"type":"string"}}}"#).unwrap();
        let plain = Tool::new("run", schema);
        let declared = Tool { security: Some(SecurityMetadata::new(RiskLevel::Safe)), ..plain.clone() };
        let none = ConfiguredTool { validator: Some(ValidatorName::None), ..Default::default() };
        assert_eq!(judged(&plain, &ConfiguredTool::default()).validators, [ValidatorName::Sandbox]);
        assert_eq!(judged(&plain, &none).validators, []);
        assert_eq!(judged(&declared, &ConfiguredTool::default()).validators, []);
    }

    #[test]
    fn only_a_trusted_server_s_declaration_removes_a_guess() {
        let schema = RawJson::parse(r#"{"properties":{"command":{"type":"string"}}}"#).unwrap();
        let none = ConfiguredTool::default();
        for (declared, trust, validators) in [
            (None, TrustLevel::Standard, vec![ValidatorName::Sandbox]),
            (Some(ValidatorName::None), TrustLevel::Standard, vec![ValidatorName::Sandbox]),
            (
                Some(ValidatorName::Readonly),
                TrustLevel::Sandboxed,
                vec![ValidatorName::Readonly, ValidatorName::Sandbox],
            ),
            (Some(ValidatorName::Readonly), TrustLevel::Trusted, vec![ValidatorName::Readonly]),
        ] {
            let security = SecurityMetadata { validator: declared, ..SecurityMetadata::new(RiskLevel::Safe) };
            let tool = Tool { security: Some(security), ..Tool::new("run", schema.clone()) };
            let profile = assess(&ToolFacts::new(&tool, trust, &[], &none));
            assert_eq!(profile.validators, validators, "{trust}");
        }
    }

    #[test]
    fn unreadable_security_is_dangerous_and_sandboxed() {
        let text = r#"{"name":"t","security":{"risk_level":"destructive","validator":"readonly",
            "permissions_required":"camera"}}"#;
        let tool: Tool = RawJson::parse(text).unwrap().decode().unwrap();
        let none = ConfiguredTool::default();
        let facts = ToolFacts::new(&tool, TrustLevel::Trusted, &[], &none);
        let profile = assess(&facts);
        assert_eq!(profile.validators, [ValidatorName::Readonly, ValidatorName::Sandbox]);
        assert_eq!(profile.permissions, [StandardPermission::Camera.into()]);
        assert_eq!((profile.risk, profile.reads_only), (RiskLevel::Dangerous, false));
        assert!(profile.takes_commands, "the sandbox would look at nothing");
        let plain = assess(&facts.of_plain_server());
        assert_eq!((plain.risk, plain.validators.len(), plain.permissions.len()), (RiskLevel::Safe, 0, 0));
    }

    #[test]
    fn only_strings_of_a_tool_that_takes_commands_are_commands() {
        let sandbox = |validator_of_server| ConfiguredTool {
            validator: Some(ValidatorName::Sandbox),
            validator_of_server,
            ..Default::default()
        };
        let schema = RawJson::parse(r#"{"properties":{"command":{"type":"string"}}}"#).unwrap();
        for (tool, configured, commands) in [
            (tool(), sandbox(false), true),
            (tool(), sandbox(true), false),
            (Tool::new("t", schema), sandbox(true), true),
            (Tool::new("run_task", RawJson::empty_object()), sandbox(true), true),
        ] {
            assert_eq!(judged(&tool, &configured).takes_commands, commands, "{} {configured:?}", tool.name);
        }
    }

    #[test]
    fn permissions_are_expanded_and_invalid_names_kept_apart() {
        let security = SecurityMetadata {
            permissions_required: Some(vec!["network".into(), "shell.exec".into(), "memory.read".into()]),
            ..SecurityMetadata::new(RiskLevel::Safe)
        };
        let configured =
            ConfiguredTool { permissions: vec![StandardPermission::MemoryRead.into()], ..Default::default() };
        let profile = judged(&declaring(security), &configured);
        let mut names: Vec<_> = profile.permissions.iter().map(Permission::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["memory.read", "network.listen", "network.outbound"]);
        assert_eq!(profile.invalid_permissions, ["shell.exec"]);
        assert_eq!(profile.risk, RiskLevel::Dangerous, "network.listen");
    }

    #[test]
    fn a_tool_that_declares_no_permissions_needs_its_server_s() {
        let server = "shell".to_owned();
        let none = ConfiguredTool::default();
        let (plain, own) = (
            tool(),
            declaring(SecurityMetadata {
                permissions_required: Some(vec![]),
                ..SecurityMetadata::new(RiskLevel::Safe)
            }),
        );
        let count = |tool| {
            assess(&ToolFacts::new(tool, TrustLevel::Trusted, from_ref(&server), &none)).permissions.len()
        };
        assert_eq!((count(&plain), count(&own)), (1, 0));
    }

    #[test]
    fn dangerous_tools_ask_and_declarations_only_add() {
        let none = ConfiguredTool::default();
        let ask = |risk, declared, configured: &ConfiguredTool| {
            let security =
                SecurityMetadata { confirmation_required: declared, ..SecurityMetadata::new(risk) };
            judged(&declaring(security), configured).confirmation
        };
        assert_eq!(ask(RiskLevel::Moderate, None, &none), Confirmation::Never);
        assert_eq!(ask(RiskLevel::Moderate, Some(true), &none), Confirmation::Always);
        assert_eq!(ask(RiskLevel::Dangerous, None, &none), Confirmation::UnlessApproved);
        assert_eq!(ask(RiskLevel::Dangerous, Some(false), &none), Confirmation::UnlessApproved);
        let never = ConfiguredTool { confirmation: Some(Confirmation::Never), ..Default::default() };
        assert_eq!(ask(RiskLevel::Dangerous, Some(true), &never), Confirmation::Never);
    }

    #[test]
    fn moderate_tools_ask_only_if_the_operator_requires_it() {
        let ask = ConfiguredTool { confirm_moderate: true, ..Default::default() };
        let confirmation = |risk| judged(&declaring(SecurityMetadata::new(risk)), &ask).confirmation;
        assert_eq!(
            [RiskLevel::Safe, RiskLevel::Moderate, RiskLevel::Dangerous].map(confirmation),
            [Confirmation::Never, Confirmation::UnlessApproved, Confirmation::UnlessApproved]
        );
    }

    #[test]
    fn proposal_members_only_make_a_server_stricter() {
        let read = |text: &str| RawJson::parse(text.to_owned()).unwrap().decode::<Tool>().unwrap();
        let none = ConfiguredTool::default();
        for (members, trust, risk, confirmation) in [
            (
                r#""risk_level":"destructive""#,
                TrustLevel::Trusted,
                RiskLevel::Dangerous,
                Confirmation::UnlessApproved,
            ),
            (r#""risk_level":"reversible""#, TrustLevel::Trusted, RiskLevel::Moderate, Confirmation::Never),
            (
                r#""risk_level":"odd""#,
                TrustLevel::Trusted,
                RiskLevel::Dangerous,
                Confirmation::UnlessApproved,
            ),
            (
                r#""risk_level":"safe""#,
                TrustLevel::Sandboxed,
                RiskLevel::Dangerous,
                Confirmation::UnlessApproved,
            ),
            (r#""requires_confirmation":true"#, TrustLevel::Trusted, RiskLevel::Safe, Confirmation::Always),
            (
                r#""requires_confirmation":false"#,
                TrustLevel::Sandboxed,
                RiskLevel::Dangerous,
                Confirmation::UnlessApproved,
            ),
        ] {
            let bare = read(&format!(r#"{{"name":"t","annotations":{{"readOnlyHint":true}},{members}}}"#));
            let own = read(&format!(
                r#"{{"name":"t","annotations":{{"readOnlyHint":true}},"_meta":{{"dev.cloto/tool":{{{members}}}}}}}"#
            ));
            for tool in [bare, own] {
                let profile = assess(&ToolFacts::new(&tool, trust, &[], &none).of_plain_server());
                assert_eq!(
                    (profile.risk, profile.confirmation),
                    (risk, confirmation),
                    "{members} of {trust}"
                );
                assert_eq!(
                    profile.reads_only,
                    risk == RiskLevel::Safe || members.contains("safe") || members.contains("false"),
                    "{members}"
                );
            }
        }
        for unread in [r#"["requires_confirmation"]"#, r#"{"author":"a","author":"b","risk_level":"safe"}"#] {
            let tool = read(&format!(
                r#"{{"name":"t","annotations":{{"readOnlyHint":true}},"_meta":{{"dev.cloto/tool":{unread}}}}}"#
            ));
            let profile = judged(&tool, &none);
            assert_eq!(
                (profile.risk, profile.confirmation),
                (RiskLevel::Dangerous, Confirmation::Always),
                "{unread}"
            );
        }
        let never = ConfiguredTool { confirmation: Some(Confirmation::Never), ..Default::default() };
        let asks = read(r#"{"name":"t","requires_confirmation":true}"#);
        assert_eq!(judged(&asks, &never).confirmation, Confirmation::Never, "the operator decides");
    }

    #[test]
    fn a_tool_is_read_only_if_declared_and_not_contradicted() {
        let reads = |annotations, security| {
            judged(&Tool { annotations, security, ..tool() }, &ConfiguredTool::default()).reads_only
        };
        let hints = |read_only, destructive| {
            Some(ToolAnnotations {
                read_only_hint: read_only,
                destructive_hint: destructive,
                ..Default::default()
            })
        };
        let needing = |name: &str| {
            Some(SecurityMetadata {
                permissions_required: Some(vec![name.into()]),
                ..SecurityMetadata::new(RiskLevel::Safe)
            })
        };
        assert!(!reads(None, None));
        assert!(reads(hints(Some(true), None), None));
        assert!(!reads(hints(Some(true), Some(true)), None));
        assert!(reads(None, needing("filesystem.read")));
        assert!(!reads(hints(Some(true), None), needing("filesystem.write")));
        assert!(!reads(hints(Some(true), None), Some(SecurityMetadata::new(RiskLevel::Dangerous))));
        let moderate = || SecurityMetadata::new(RiskLevel::Moderate);
        assert!(reads(hints(Some(true), None), Some(moderate())));
        assert!(!reads(None, Some(moderate())) && !reads(hints(Some(false), None), Some(moderate())));
        let side_effects = Some(vec![SideEffect::Database]);
        assert!(!reads(hints(Some(true), None), Some(SecurityMetadata { side_effects, ..moderate() })));
    }
}
