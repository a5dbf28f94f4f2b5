//! A question, with the check of its answer.

use mgp_types::{
    callback::{CallbackRequestParams, CallbackType},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// The response of a user who confirms.
pub const CONFIRM: &str = "confirm";
/// The response of a user who declines.
pub const DECLINE: &str = "decline";
/// The response of a user who closed the question without an answer.
pub const CANCEL: &str = "cancel";

/// The most bytes of a response.
const MAX_RESPONSE: usize = 64 * 1024;

/// A question that a callback asks, with the check of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackQuestion {
    /// The kind of answer.
    pub kind: CallbackType,
    /// The text of the question.
    pub message: String,
    /// The answers to choose from.
    pub options: Option<Vec<String>>,
}

impl CallbackQuestion {
    /// Returns the question of a callback.
    #[must_use]
    pub fn of(params: &CallbackRequestParams) -> Self {
        Self { kind: params.kind, message: params.message.clone(), options: params.options.clone() }
    }

    /// Checks that a response answers the question. A confirmation takes a boolean, one of its options, `confirm`, `decline` or
    /// `cancel`; a selection takes one of its options, `decline` or `cancel`; an input takes text, a number or a boolean.
    ///
    /// # Errors
    /// The expectation, and the kind of value that was found.
    pub fn check(&self, response: &RawJson) -> Result<(), String> {
        let bytes = response.as_bytes().len();
        if bytes > MAX_RESPONSE {
            return Err(format!("expected at most {MAX_RESPONSE} bytes, found {bytes}"));
        }
        let (kind, text) = (response.kind_without_text(), response.to_text());
        let is_boolean = matches!(response.as_str(), "true" | "false");
        let options = self.options.as_deref().unwrap_or_default();
        let chosen = |text: &str| options.iter().any(|option| option == text);
        let (fits, expected) = match (self.kind, &text) {
            (CallbackType::Confirmation, Some(text)) => (
                chosen(text) || [CONFIRM, DECLINE, CANCEL].contains(&text.as_str()),
                CallbackType::Confirmation,
            ),
            (CallbackType::Selection, Some(text)) => {
                (chosen(text) || [DECLINE, CANCEL].contains(&text.as_str()), CallbackType::Selection)
            }
            (CallbackType::Input, Some(_)) => (true, CallbackType::Input),
            (CallbackType::Confirmation, None) => (is_boolean, CallbackType::Confirmation),
            (CallbackType::Input, None) => {
                let is_number = response.decode::<f64>().is_ok();
                (is_boolean || is_number, CallbackType::Input)
            }
            (kind, _) => (false, kind),
        };
        if fits {
            return Ok(());
        }
        let found = if text.is_some() { "another text" } else { kind };
        Err(match expected {
            CallbackType::Confirmation => {
                format!("expected a boolean, confirm, decline, cancel or one of the options, found {found}")
            }
            CallbackType::Selection => {
                format!("expected one of the options, decline or cancel, found {found}")
            }
            CallbackType::Input => format!("expected a text, a number or a boolean, found {found}"),
            CallbackType::Notification => format!("expected no response to a notification, found {found}"),
        })
    }

    /// Returns the error in a response of the form `{"error": {"code", "message"}}`, by which a side reports that it asked nobody.
    pub(super) fn refusal(response: &RawJson) -> Option<ErrorObject> {
        if !response.is_object() {
            return None;
        }
        RawObject::from_json(response).ok()?.decode("error").ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(kind: CallbackType, response: &str) -> Result<(), String> {
        let options = Some(vec!["red".to_owned(), "blue".to_owned()]);
        let question = CallbackQuestion { kind, message: "?".into(), options };
        question.check(&RawJson::parse(response.to_owned()).unwrap())
    }

    #[test]
    fn each_kind_accepts_only_its_answers_and_names_the_expected() {
        for (kind, fits, refused) in [
            (
                CallbackType::Confirmation,
                &[r#""confirm""#, r#""decline""#, r#""cancel""#, "true", "false", r#""red""#][..],
                &[r#""green""#, "7", "null", "{}", "[]"][..],
            ),
            (
                CallbackType::Selection,
                &[r#""red""#, r#""decline""#, r#""cancel""#],
                &[r#""confirm""#, r#""Red""#, "true", "0", "null", "{}"],
            ),
            (CallbackType::Input, &[r#""""#, r#""anything""#, "7", "-1.5e3", "true"], &["null", "{}", "[]"]),
            (CallbackType::Notification, &[], &[r#""""#, "null"]),
        ] {
            for response in fits {
                assert_eq!(checked(kind, response), Ok(()), "{kind:?} {response}");
            }
            for response in refused {
                let problem = checked(kind, response).unwrap_err();
                assert!(problem.starts_with("expected "), "{kind:?} {response}: {problem}");
            }
        }
    }

    #[test]
    fn a_response_has_at_most_64_kib() {
        let text = |bytes: usize| format!("{:?}", "x".repeat(bytes - 2));
        assert_eq!(checked(CallbackType::Input, &text(MAX_RESPONSE)), Ok(()));
        assert!(checked(CallbackType::Input, &text(MAX_RESPONSE + 1)).unwrap_err().contains("at most 65536"));
    }
}
