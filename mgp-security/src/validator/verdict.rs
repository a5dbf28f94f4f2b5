//! The answer of a validator.

use super::Violation;

/// The answer of a validator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The arguments are known to do no harm.
    Pass,
    /// The arguments may do harm: the call needs a confirmation, and is refused if nobody can give it.
    Ask(Violation),
    /// The call is refused.
    Refuse(Violation),
}

impl Verdict {
    /// Combines this answer with another: the stricter, or both questions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pass, other) | (other, Self::Pass) => other,
            (Self::Refuse(violation), _) | (_, Self::Refuse(violation)) => Self::Refuse(violation),
            (Self::Ask(mut one), Self::Ask(other)) => {
                one.violations.extend(other.violations);
                Self::Ask(one)
            }
        }
    }
}

impl From<Result<(), Violation>> for Verdict {
    fn from(checked: Result<(), Violation>) -> Self {
        checked.map_or_else(Self::Refuse, |()| Self::Pass)
    }
}
