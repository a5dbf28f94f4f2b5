//! Proposal 6: a server's request for a confirmation of a call, and the confirmation.

use crate::{
    context::RiskLevel,
    json::{RawJson, RawObject},
    tool_metadata::Impact,
};

/// The member of a call that states that it was confirmed.
const USER_CONFIRMED: &str = "user_confirmed";

/// The member of a request for confirmation, and of the confirmed call, by which the server recognizes its own request.
const CONFIRMATION_TOKEN: &str = "confirmation_token";

/// The longest token that is returned to the server, in bytes.
const MAX_TOKEN: usize = 4096;

/// A server's answer that it did not make a call, because the call needs a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedConfirmation {
    /// The server's message to the person who is asked.
    pub message: Option<String>,
    /// The risk that the server claims, or the greatest without a known claim.
    pub risk: RiskLevel,
    /// The token that the confirmed call must carry.
    pub token: Option<String>,
}

impl WantedConfirmation {
    /// Reads a server's answer to a call, or returns `None` if the answer is anything else. A tool's name, or a special status, distinguishes
    /// the request from data of a tool that ran.
    ///
    /// ```
    /// use mgp_types::{json::RawObject, proposals::WantedConfirmation};
    /// let answer = r#"{"requires_confirmation":true,"confirmation_message":"Delete it?","risk_level":"destructive","tool":"delete"}"#;
    /// let wanted = WantedConfirmation::of(&RawObject::parse(answer)?).unwrap();
    /// assert_eq!(wanted.message.as_deref(), Some("Delete it?"));
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn of(answer: &RawObject) -> Option<Self> {
        let is_wanted = || answer.get("requires_confirmation")?.decode::<bool>().ok();
        let message = answer.text("confirmation_message");
        let is_wanted = match answer.text("status") {
            Some(status) if status == "confirmation_required" => message.is_some(),
            _ => is_wanted() == Some(true) && answer.text("tool").is_some(),
        };
        if !is_wanted
            || ["result", "content", "structuredContent"].iter().any(|key| answer.get(key).is_some())
        {
            return None;
        }
        let claimed = answer.text("risk_level").and_then(|level| level.parse::<Impact>().ok());
        Some(Self {
            message,
            risk: claimed.map_or(RiskLevel::Dangerous, Impact::risk),
            token: answer.text(CONFIRMATION_TOKEN).filter(|token| token.len() <= MAX_TOKEN),
        })
    }

    /// Returns the server's answer without its token, which is only for the confirming side.
    #[must_use]
    pub fn without_token(mut answer: RawObject) -> RawObject {
        answer.remove(CONFIRMATION_TOKEN);
        answer
    }
}

/// A confirmation that was given: by a person, or by an approval that an operator stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenConfirmation {
    /// The token of the request that it answers, if any.
    pub token: Option<String>,
}

impl GivenConfirmation {
    /// Writes the confirmation into the params of a call: next to the name, where the proposals' server reads it, and into `_meta`, as in
    /// their text.
    pub fn write(&self, params: &mut RawObject) {
        let token = self.token.as_deref().map(RawJson::string);
        params.insert(USER_CONFIRMED, true.into());
        params.edit("_meta", |meta| {
            meta.insert(USER_CONFIRMED, true.into());
            if let Some(token) = &token {
                meta.insert(CONFIRMATION_TOKEN, token.clone());
            }
            true
        });
    }

    /// Returns whether the params of a call state that it is confirmed.
    #[must_use]
    pub fn is_in(params: &RawObject) -> bool {
        params.get(USER_CONFIRMED).is_some()
    }

    /// Returns whether a member of a call is about a confirmation.
    pub(super) fn is_member(key: &str) -> bool {
        key == USER_CONFIRMED || key == CONFIRMATION_TOKEN
    }

    /// Returns whether a `_meta` may contain a claim of a confirmation.
    pub(super) fn may_be_claimed_in(meta: &RawJson) -> bool {
        meta.may_hold(USER_CONFIRMED) || meta.may_hold(CONFIRMATION_TOKEN)
    }

    /// Removes claims of a confirmation from the params of a call.
    pub(super) fn remove(params: &mut RawObject) {
        params.remove(USER_CONFIRMED);
        params.remove(CONFIRMATION_TOKEN);
        if params.get("_meta").is_some_and(|meta| meta.is_object() && Self::may_be_claimed_in(meta)) {
            params.edit("_meta", |meta| {
                let flag = meta.remove(USER_CONFIRMED);
                meta.remove(CONFIRMATION_TOKEN).or(flag).is_some()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(answer: &str) -> Option<WantedConfirmation> {
        WantedConfirmation::of(&RawObject::parse(answer.to_owned()).unwrap())
    }

    #[test]
    fn a_confirmation_request_is_recognized_in_both_forms() {
        let of_server = r#"{"requires_confirmation":true,"confirmation_message":"Sure?","risk_level":"reversible","tool":"a"}"#;
        let expected =
            WantedConfirmation { message: Some("Sure?".to_owned()), risk: RiskLevel::Moderate, token: None };
        assert_eq!(wanted(of_server), Some(expected.clone()));
        let of_text = r#"{"status":"confirmation_required","confirmation_message":"Sure?","risk_level":"huge","confirmation_token":"t"}"#;
        let token = Some("t".to_owned());
        assert_eq!(
            wanted(of_text),
            Some(WantedConfirmation { risk: RiskLevel::Dangerous, token, ..expected })
        );
        for data in [
            r#"{"requires_confirmation":false,"tool":"a"}"#,
            r#"{"requires_confirmation":true}"#,
            r#"{"requires_confirmation":true,"tool":"a","result":{}}"#,
            r#"{"requires_confirmation":true,"tool":"a","content":[]}"#,
            r#"{"status":"confirmation_required"}"#,
            r#"{"status":"ok","confirmation_message":"x"}"#,
        ] {
            assert_eq!(wanted(data), None, "{data}");
        }
    }

    #[test]
    fn a_confirmation_is_written_in_both_places_with_its_token() {
        let mut params = RawObject::parse(r#"{"name":"a","_meta":{"x":1}}"#).unwrap();
        assert!(!GivenConfirmation::is_in(&params));
        GivenConfirmation { token: Some("t".to_owned()) }.write(&mut params);
        let expected = r#"{"name":"a","_meta":{"x":1,"user_confirmed":true,"confirmation_token":"t"},"user_confirmed":true}"#;
        assert_eq!(params.to_json().as_str(), expected);
        assert!(GivenConfirmation::is_in(&params));
    }
}
