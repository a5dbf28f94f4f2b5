//! §7.2 The levels, as sets of capabilities.

use super::capability::{Capabilities, Capability};
use mgp_types::code_safety::SafetyLevel;

/// The capabilities that `standard` blocks: those that reach beyond the code's own language and data.
pub(super) const DANGEROUS: Capabilities = Capabilities::of(&[
    Capability::Eval,
    Capability::Process,
    Capability::Native,
    Capability::Reflection,
    Capability::Socket,
    Capability::DeleteTree,
]);

/// The capabilities that `strict` blocks in addition.
const UNCERTAIN: Capabilities = Capabilities::of(&[
    Capability::Introspection,
    Capability::Runtime,
    Capability::Network,
    Capability::Delete,
    Capability::WriteAnywhere,
]);

/// The capabilities that `readonly` blocks in addition.
const WRITING: Capabilities = Capabilities::of(&[Capability::Write]);

/// The default limit on the length of code from `strict` up, in bytes.
pub(super) const STRICT_BYTES: u64 = 100_000;

/// Returns the capabilities that a level blocks.
pub(super) fn blocked(level: SafetyLevel) -> Capabilities {
    match level {
        SafetyLevel::Unrestricted => Capabilities::of(&[]),
        SafetyLevel::Standard => DANGEROUS,
        SafetyLevel::Strict => DANGEROUS.and(UNCERTAIN),
        SafetyLevel::Readonly => DANGEROUS.and(UNCERTAIN).and(WRITING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_readonly_blocks_writing_and_no_level_blocks_harmless() {
        for level in SafetyLevel::ALL {
            assert_eq!(blocked(*level).contains(Capability::Write), *level == SafetyLevel::Readonly);
            assert!(!blocked(*level).contains(Capability::Harmless));
        }
    }
}
