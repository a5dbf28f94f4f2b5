//! The kinds of results.

use crate::json::{RawJson, RawObject};

spelled_open! {
    /// The kind of a result: its member `resultType`.
    pub enum ResultType {
        /// The answer.
        Complete = "complete",
        /// Questions that the client must answer first (see [`InputRequired`](super::InputRequired)).
        InputRequired = "input_required",
        /// A task, which provides the answer later.
        Task = "task",
    } else
    /// A kind defined by an extension that is not known here.
    Other
}

impl ResultType {
    /// Returns the kind of a result. A result that does not state a kind is the answer: earlier revisions have no other.
    #[must_use]
    pub fn of(result: &RawJson) -> Self {
        // The key is first searched in the text: a large result is not parsed for one key.
        if !result.may_hold("resultType") {
            return Self::Complete;
        }
        RawObject::from_json(result).map_or(Self::Complete, |result| Self::said_by(&result))
    }

    /// Returns the kind of a result that is already parsed.
    #[must_use]
    pub fn said_by(result: &RawObject) -> Self {
        let said = result.get("resultType");
        match said.and_then(RawJson::as_plain_text) {
            Some(said) => Self::from(said),
            None => said.and_then(RawJson::to_text).map_or(Self::Complete, |said| Self::from(said.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_s_kind_is_only_read_at_its_top_level() {
        let kind = |text: &str| ResultType::of(&RawJson::parse(text.to_owned()).unwrap());
        assert_eq!(kind("{}"), ResultType::Complete);
        assert_eq!(kind(r#"{"a":{"resultType":"task"}}"#), ResultType::Complete);
        assert_eq!(kind(r#"{"resultType":"input_required"}"#), ResultType::InputRequired);
        assert_eq!(kind(r#"{"resultType":"later"}"#), ResultType::Other("later".into()));
    }
}
