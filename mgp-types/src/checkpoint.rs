//! Checkpoints of tool calls: tokens with which a call continues where an earlier one ended.

use crate::json::{RawJson, RawObject};
use serde::{Deserialize, Serialize};

/// The member of `_meta` that holds a checkpoint: in a result, one to continue from; in a call, the one to continue from.
pub const CHECKPOINT_KEY: &str = "dev.cloto/checkpoint";

/// A token with which a tool call continues where an earlier one ended. Only its server can read it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckpointToken(pub String);

impl CheckpointToken {
    /// Returns the token in a result's `_meta`, if any.
    #[must_use]
    pub fn in_meta(meta: &RawObject) -> Option<Self> {
        meta.text(CHECKPOINT_KEY).map(Self)
    }

    /// Puts the token into the `_meta` of a result, or of the params of a call.
    pub fn put(&self, message: &mut RawObject) {
        message.edit("_meta", |meta| {
            meta.insert(CHECKPOINT_KEY, RawJson::string(&self.0));
            true
        });
    }

    /// Removes the token from the `_meta` of a message.
    pub fn remove(message: &mut RawObject) {
        if message.object("_meta").is_some() {
            message.edit("_meta", |meta| meta.remove(CHECKPOINT_KEY).is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_next_to_other_metadata() {
        let token = CheckpointToken("a\"b".into());
        for text in ["{}", r#"{"content":[],"_meta":{"x":1}}"#] {
            let mut message = RawObject::parse(text).unwrap();
            token.put(&mut message);
            let meta = message.object("_meta").unwrap();
            assert_eq!(CheckpointToken::in_meta(&meta), Some(token.clone()));
            assert_eq!(meta.get("x").is_some(), text.contains('x'));
            CheckpointToken::remove(&mut message);
            assert_eq!(message.to_json().as_str(), text);
        }
        assert_eq!(
            CheckpointToken::in_meta(&RawObject::parse(r#"{"dev.cloto/checkpoint":1}"#).unwrap()),
            None
        );
    }
}
