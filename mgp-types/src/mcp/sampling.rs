//! `sampling/createMessage`: a request of a server to the host's model.

use super::{ContentBlock, Role};
use crate::json::{RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

calls! {
    /// Asks the host's model to continue a conversation.
    call CreateMessage = "sampling/createMessage": CreateMessageParams => CreateMessageResult;
}

open_object! {
    /// The conversation, and the requirements for the answer.
    #[derive(Default)]
    pub struct CreateMessageParams {
        /// The conversation.
        items messages: SamplingMessage = "messages",
        /// The preferences for a model.
        optional model_preferences: ModelPreferences = "modelPreferences",
        /// The system prompt for the model.
        optional system_prompt: String = "systemPrompt",
        /// The servers whose context is added to the conversation: `none`, `thisServer` or `allServers`.
        optional include_context: String = "includeContext",
        /// The randomness of the model's answer.
        optional temperature: Number = "temperature",
        /// The longest answer, in tokens.
        required max_tokens: u64 = "maxTokens",
        /// The texts at which the model stops.
        list stop_sequences: String = "stopSequences",
        /// Metadata for the model's provider.
        optional metadata: RawObject = "metadata",
        /// Tools that the model may call.
        raw tools: RawJson = "tools",
        /// The choice of tools, such as whether the model must call one.
        raw tool_choice: RawJson = "toolChoice",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl CreateMessageParams {
    /// Creates a conversation with one turn of the user. `max_tokens` is the longest answer, in tokens.
    pub fn user(text: impl Into<String>, max_tokens: u64) -> Self {
        let turn = SamplingMessage {
            role: Role::User,
            content: SamplingContent::One(Box::new(ContentBlock::text(text))),
            meta: None,
            other: RawObject::new(),
        };
        Self { messages: vec![turn], max_tokens, ..Self::default() }
    }
}

open_object! {
    /// One turn of the conversation.
    pub struct SamplingMessage {
        /// The speaker.
        required role: Role = "role",
        /// The content of the turn.
        required content: SamplingContent = "content",
        /// Metadata of MCP and its extensions about the turn.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// The model's answer.
    pub struct CreateMessageResult {
        /// The speaker.
        required role: Role = "role",
        /// The content of the answer.
        required content: SamplingContent = "content",
        /// The name of the model.
        required model: String = "model",
        /// The reason the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another one.
        optional stop_reason: String = "stopReason",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

/// One block or, from revision 2025-11-25 on, a list of blocks; written as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingContent {
    /// One block.
    One(Box<ContentBlock>),
    /// A list of blocks.
    Many(Vec<ContentBlock>),
}

impl SamplingContent {
    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        let read =
            if json.is_object() { json.decode().map(Self::One) } else { json.decode().map(Self::Many) };
        read.map_err(serde::de::Error::custom)
    }
}

/// The preferences for a model; the host decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Parts of model names, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// The importance of a low price, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<Number>,
    /// The importance of a fast answer, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<Number>,
    /// The importance of a good answer, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<Number>,
}

/// A part of a model's name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelHint {
    /// The part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_and_a_list_of_blocks_survive_unchanged() {
        for text in [
            r#"{"role":"user","content":{"type":"text","text":"a"}}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","input":{"n":1e500}}]}"#,
        ] {
            let message: SamplingMessage = serde_json::from_str(text).unwrap();
            assert_eq!(message.content.blocks().len(), 1);
            assert_eq!(serde_json::to_string(&message).unwrap(), text);
        }
    }
}
