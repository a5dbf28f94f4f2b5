//! §7 Code safety, as a validator.

use super::{Input, Validator, Verdict, Violation};

/// The validator `code_safety`.
///
/// It checks the strings that contain code, by the declarations about the tool. Only a parser for its language can judge code: without
/// the feature `code_safety`, every call that requires the validator is refused.
#[derive(Debug, Clone, Copy)]
pub struct CodeSafety;

impl Validator for CodeSafety {
    fn name(&self) -> &str {
        "code_safety"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        #[cfg(feature = "code_safety")]
        return parsed::check(input).into();
        #[cfg(not(feature = "code_safety"))]
        return Verdict::Refuse(unparsed(input));
    }
}

#[cfg(not(feature = "code_safety"))]
fn unparsed(_: &Input<'_>) -> Violation {
    Violation {
        code: mgp_types::error::ErrorCode::CodeSafetyViolation,
        ..Violation::new(
            "code cannot be checked, so the call is refused",
            vec![
                "this build has no code parser; the operator can set another validator for the tool"
                    .to_owned(),
            ],
        )
    }
}

#[cfg(feature = "code_safety")]
mod parsed {
    use super::{Input, Violation};
    use crate::{
        code_safety::CodeRules,
        profile::Leaves,
        syntax::Interrupt,
        validator::{Leaf, LeafKind},
    };
    use mgp_types::{code_safety::CodeRejection, error::ErrorCode};

    /// Names of members that contain code, in lower case and without separators.
    const CODE: [&str; 24] = [
        "code",
        "script",
        "source",
        "sourcecode",
        "program",
        "snippet",
        "codesnippet",
        "cell",
        "expression",
        "expr",
        "statement",
        "python",
        "pythoncode",
        "py",
        "javascript",
        "jscode",
        "js",
        "typescript",
        "ts",
        "bash",
        "command",
        "cmd",
        "function",
        "body",
    ];

    /// Checks the strings. Those that contain code must parse. Of the others, those that would run are judged as well, because only the
    /// tool's server knows which strings it runs.
    pub(super) fn check(input: &Input<'_>) -> Result<(), Violation> {
        let rules = CodeRules::of(&input.profile.code_safety);
        let pointed = input.profile.leaves != Leaves::All;
        let named = input.leaves.iter().any(is_code);
        let is_over = || input.in_time().is_err();
        let interrupt = Interrupt::new(&is_over);
        for leaf in input.leaves {
            input.in_time()?;
            let judged = match leaf.kind {
                LeafKind::Text if pointed || !named || is_code(leaf) => {
                    rules.check_until(&leaf.text, interrupt)
                }
                LeafKind::Text => rules.check_if_code(&leaf.text, interrupt),
                LeafKind::Name if !leaf.is_plain_name() => rules.check_if_code(&leaf.text, interrupt),
                LeafKind::Name | LeafKind::Number => Ok(()),
            };
            judged.map_err(|rejection| violation(*rejection))?;
        }
        Ok(())
    }

    fn is_code(leaf: &Leaf) -> bool {
        let key: String = leaf.key().chars().filter(|c| c.is_alphanumeric()).collect();
        leaf.kind == LeafKind::Text && CODE.contains(&key.to_lowercase().as_str())
    }

    fn violation(rejection: CodeRejection) -> Violation {
        Violation {
            code: ErrorCode::CodeSafetyViolation,
            reason: rejection.reason,
            violations: rejection.violations,
            hints: rejection.hints.map(Box::new),
        }
    }
}

#[cfg(all(test, not(feature = "code_safety")))]
mod tests {
    use super::*;

    #[test]
    fn without_a_parser_every_call_is_refused() {
        let profile = xtask_testing::plain_profile();
        let violation = CodeSafety.check(&Input::new(&[], &profile)).unwrap_err();
        assert_eq!(violation.code, mgp_types::error::ErrorCode::CodeSafetyViolation);
    }
}
