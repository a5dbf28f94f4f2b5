//! The members that the proposals put next to the name and the arguments of a call.

use super::GivenConfirmation;
use crate::{
    idempotency::{IDEMPOTENCY_KEY, IDEMPOTENCY_TTL_SECONDS},
    intent::Intent,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    session_state::SESSION_STATE_KEY,
    transaction::{STEP_ID, TRANSACTION_ID},
};

/// The members that are read like those with the same name in `_meta`.
const ALIASES: [&str; 6] =
    [Intent::MEMBER, SESSION_STATE_KEY, IDEMPOTENCY_KEY, IDEMPOTENCY_TTL_SECONDS, TRANSACTION_ID, STEP_ID];

/// The members that a server of the proposals gets in both places.
const SENT: [&str; 2] = [Intent::MEMBER, SESSION_STATE_KEY];

/// Returns whether params may have a member of the proposals, so that most calls need no closer check.
#[must_use]
pub fn may_have_members(params: &RawObject) -> bool {
    let is_beside = params.iter().any(|(key, _)| ALIASES.contains(&key) || GivenConfirmation::is_member(key));
    is_beside || params.get("_meta").is_some_and(GivenConfirmation::may_be_claimed_in)
}

/// Moves the proposals' members of a call into its `_meta`, where they are read with their bounds, and removes a caller's claim of a
/// confirmation, because a flag set by a caller proves nothing about a person.
///
/// ```
/// use mgp_types::{json::RawObject, proposals};
/// let mut params = RawObject::parse(r#"{"name":"a","intent":"find it","user_confirmed":true}"#)?;
/// proposals::unify(&mut params).unwrap();
/// assert_eq!(params.to_json().as_str(), r#"{"name":"a","_meta":{"intent":"find it"}}"#);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
///
/// # Errors
/// -32602 for a member that has another value in `_meta`, and for an unreadable `_meta` next to such members.
pub fn unify(params: &mut RawObject) -> Result<(), ErrorObject> {
    GivenConfirmation::remove(params);
    let beside: Vec<(&'static str, RawJson)> =
        ALIASES.into_iter().filter_map(|key| Some((key, params.remove(key)?))).collect();
    if beside.is_empty() {
        return Ok(());
    }
    let invalid = |problem: String| Err(ErrorObject::invalid_params(problem));
    let mut meta = match params.get("_meta").map(RawObject::from_json) {
        None => RawObject::new(),
        Some(Ok(meta)) => meta,
        Some(Err(error)) => return invalid(format!("invalid _meta: {error}")),
    };
    for (key, value) in beside {
        if let Some(there) = meta.get(key)
            && there.canonical() != value.canonical()
        {
            return invalid(format!(
                "invalid {key}: expected the value of _meta.{key}, of which it is another spelling, found another one"
            ));
        }
        meta.insert(key, value);
    }
    params.insert("_meta", meta.to_json());
    Ok(())
}

/// Copies the members that a server of the proposals reads next to the name and the arguments from `_meta`.
pub fn write_members(params: &mut RawObject) {
    let Some(meta) = params.get("_meta").filter(|meta| SENT.iter().any(|key| meta.may_hold(key))) else {
        return;
    };
    let Ok(meta) = RawObject::from_json(meta) else { return };
    for key in SENT {
        if let Some(value) = meta.get(key).filter(|value| !value.is_null()) {
            params.insert(key, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unified(text: &str) -> Result<String, String> {
        let mut params = RawObject::parse(text.to_owned()).unwrap();
        unify(&mut params).map_err(|error| error.message)?;
        // An escape in `_meta` may hide any key.
        assert!(!may_have_members(&params) || params.to_json().as_str().contains('\\'), "{text}");
        Ok(params.to_json().as_str().to_owned())
    }

    #[test]
    fn members_next_to_the_arguments_are_those_of_meta() {
        for (params, expected) in [
            (r#"{"name":"a","session_state":"s"}"#, r#"{"name":"a","_meta":{"session_state":"s"}}"#),
            (
                r#"{"name":"a","_meta":{"x":1e500,"intent":"i"},"intent":"\u0069"}"#,
                r#"{"name":"a","_meta":{"x":1e500,"intent":"\u0069"}}"#,
            ),
            (
                r#"{"idempotency_key":"k","idempotency_ttl_seconds":7,"transaction_id":"t","step_id":"s","name":"a"}"#,
                r#"{"name":"a","_meta":{"idempotency_key":"k","idempotency_ttl_seconds":7,"transaction_id":"t","step_id":"s"}}"#,
            ),
            (r#"{"name":"a","arguments":{"intent":"x"}}"#, r#"{"name":"a","arguments":{"intent":"x"}}"#),
        ] {
            assert_eq!(unified(params).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn two_values_of_one_member_are_refused_with_its_name() {
        let error = unified(r#"{"name":"a","intent":"one","_meta":{"intent":"two"}}"#).unwrap_err();
        assert!(error.starts_with("invalid intent: expected the value of _meta.intent"), "{error}");
        let error = unified(r#"{"name":"a","intent":"one","_meta":7}"#).unwrap_err();
        assert!(error.starts_with("invalid _meta: "), "{error}");
    }

    #[test]
    fn no_caller_supplied_confirmation_is_left() {
        for params in [
            r#"{"name":"a","user_confirmed":true}"#,
            r#"{"name":"a","confirmation_token":"t","_meta":{"user_confirmed":true,"confirmation_token":"t"}}"#,
            r#"{"name":"a","_meta":{"user\u005fconfirmed":true}}"#,
        ] {
            assert_eq!(unified(params).as_deref(), Ok(r#"{"name":"a"}"#), "{params}");
        }
    }

    #[test]
    fn meta_is_copied_for_a_server_without_a_new_session_token() {
        for (params, expected) in [
            (
                r#"{"_meta":{"intent":"i","session_state":"s"}}"#,
                r#"{"_meta":{"intent":"i","session_state":"s"},"intent":"i","session_state":"s"}"#,
            ),
            (r#"{"_meta":{"session_state":null}}"#, r#"{"_meta":{"session_state":null}}"#),
            (r#"{"_meta":{"transaction_id":"t"}}"#, r#"{"_meta":{"transaction_id":"t"}}"#),
            ("{}", "{}"),
        ] {
            let mut params = RawObject::parse(params).unwrap();
            write_members(&mut params);
            assert_eq!(params.to_json().as_str(), expected);
        }
    }
}
