//! The tool that both sides serve: it adds two numbers and answers with text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool's name.
pub(super) const NAME: &str = "add";

/// How many bytes one direction of the stream holds, for both sides.
pub(super) const STREAM: usize = 64 * 1024;

/// The tool's arguments.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub(super) struct Add {
    pub(super) a: i64,
    pub(super) b: i64,
}

impl Add {
    /// The arguments of a call; no two calls have the same.
    pub(super) fn of(number: i64) -> Self {
        Self { a: number, b: 1_000_000 }
    }

    /// What the tool does.
    pub(super) fn sum(self) -> String {
        self.a.wrapping_add(self.b).to_string()
    }

    /// Whether an answer is the right one.
    pub(super) fn check(self, answer: Option<&str>) -> Result<(), String> {
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
