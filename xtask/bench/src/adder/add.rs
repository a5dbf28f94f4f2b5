//! The tool that all sides serve: it adds two numbers and answers with text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool's name.
pub(crate) const NAME: &str = "add";

/// The tool's arguments.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Add {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

impl Add {
    /// Returns the arguments of a call; no two calls have the same.
    pub(crate) fn of(number: i64) -> Self {
        Self { a: number, b: 1_000_000 }
    }

    /// Adds the two numbers, and returns the answer as text.
    pub(crate) fn sum(self) -> String {
        self.a.wrapping_add(self.b).to_string()
    }

    /// Checks an answer.
    pub(crate) fn check(self, answer: Option<&str>) -> Result<(), String> {
        if answer == Some(&*self.sum()) {
            return Ok(());
        }
        Err(format!("{self:?} was answered with {answer:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_and_no_answer_are_errors() {
        assert_eq!(Add::of(7).check(Some("1000007")), Ok(()));
        assert!(Add::of(7).check(Some("7")).is_err() && Add::of(7).check(None).is_err());
    }
}
