//! §7 Code safety, as a validator.

use super::{Input, Validator, Violation};
use mgp_types::error::ErrorCode;

/// The validator `code_safety`.
///
/// Only a parser for its language can judge code. This build has no such parser, so every call that asks for the
/// validator is refused.
#[derive(Debug, Clone, Copy)]
pub struct CodeSafety;

impl Validator for CodeSafety {
    fn name(&self) -> &str {
        "code_safety"
    }

    fn check(&self, _: &Input<'_>) -> Result<(), Violation> {
        Err(Violation {
            code: ErrorCode::CodeSafetyViolation,
            reason: "code cannot be checked, so the call is refused".to_owned(),
            violations: vec![
                "this build has no code parser; the operator can set another validator for the tool"
                    .to_owned(),
            ],
        })
    }
}
