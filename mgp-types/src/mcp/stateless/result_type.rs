//! What kind of result a result is.

use crate::json::{RawJson, RawObject};

spelled_open! {
    /// What kind of result a result is: its member `resultType`.
    pub enum ResultType {
        /// The answer.
        Complete = "complete",
        /// What the client must find out first (see [`InputRequired`](super::InputRequired)).
        InputRequired = "input_required",
        /// The answer comes later, from a task.
        Task = "task",
    } else
    /// One of an extension that is not known here.
    Other
}

impl ResultType {
    /// The kind of a result. One that does not say is the answer: earlier revisions have no other.
    #[must_use]
    pub fn of(result: &RawJson) -> Self {
        // Looked for as text first, because a large result is not to be taken apart for one key.
        if !result.may_hold("resultType") {
            return Self::Complete;
        }
        RawObject::from_json(result).map_or(Self::Complete, |result| Self::said_by(&result))
    }

    /// The kind of a result that is taken apart already.
    #[must_use]
    pub fn said_by(result: &RawObject) -> Self {
        result.text("resultType").map_or(Self::Complete, |said| Self::from(said.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_of_what_kind_it_is_at_its_top_alone() {
        let kind = |text: &str| ResultType::of(&RawJson::parse(text.to_owned()).unwrap());
        assert_eq!(kind("{}"), ResultType::Complete);
        assert_eq!(kind(r#"{"a":{"resultType":"task"}}"#), ResultType::Complete);
        assert_eq!(kind(r#"{"resultType":"input_required"}"#), ResultType::InputRequired);
        assert_eq!(kind(r#"{"resultType":"later"}"#), ResultType::Other("later".into()));
    }
}
