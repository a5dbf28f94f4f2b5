//! Session state: a token that a server sends with a result, and that a later call returns to the server, like a cookie.

use crate::json::{Nullable, RawJson, RawObject};

/// The member of `_meta` that holds the token. In a result, it is the token for the next call, or `null` to forget the last one; in a call,
/// the token of an earlier result, or `null` for none.
pub const SESSION_STATE_KEY: &str = "session_state";

/// The longest token, in bytes.
pub const MAX_SESSION_STATE: usize = 64 * 1024;

/// A token with the state of a session. Only its server can read it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionStateToken(pub String);

impl SessionStateToken {
    /// Returns the token in the `_meta` of a result or a call. A member that is neither a string nor `null` counts as absent.
    #[must_use]
    pub fn in_meta(meta: &RawObject) -> Nullable<Self> {
        match meta.get(SESSION_STATE_KEY) {
            Some(value) if value.is_null() => Nullable::Null,
            Some(value) => value.to_text().map_or(Nullable::Absent, |token| Nullable::Value(Self(token))),
            None => Nullable::Absent,
        }
    }

    /// Puts the token into the `_meta` of a result, or of the params of a call.
    pub fn put(&self, message: &mut RawObject) {
        message.edit("_meta", |meta| {
            meta.insert(SESSION_STATE_KEY, RawJson::string(&self.0));
            true
        });
    }

    /// Removes the token from the `_meta` of a message.
    pub fn remove(message: &mut RawObject) {
        if message.object("_meta").is_some() {
            message.edit("_meta", |meta| meta.remove(SESSION_STATE_KEY).is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_and_null_is_not_absence() {
        let token = SessionStateToken("a\"b".into());
        for text in ["{}", r#"{"content":[],"_meta":{"x":1}}"#] {
            let mut message = RawObject::parse(text).unwrap();
            token.put(&mut message);
            assert_eq!(
                SessionStateToken::in_meta(&message.object("_meta").unwrap()),
                Nullable::Value(token.clone())
            );
            SessionStateToken::remove(&mut message);
            assert_eq!(message.to_json().as_str(), text);
        }
        let read = |text: &'static str| SessionStateToken::in_meta(&RawObject::parse(text).unwrap());
        assert_eq!(read(r#"{"session_state":null}"#), Nullable::Null);
        assert_eq!(read(r#"{"session_state":7}"#), Nullable::Absent);
        assert_eq!(read("{}"), Nullable::Absent);
    }
}
