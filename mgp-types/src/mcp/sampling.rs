//! `sampling/createMessage`: a server asks the host's model.

use super::{ContentBlock, Role};
use crate::json::{RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

calls! {
    /// Asks the host's model to go on with a conversation.
    call CreateMessage = "sampling/createMessage": CreateMessageParams => CreateMessageResult;
}

open_object! {
    /// The conversation, and what the answer should be like.
    pub struct CreateMessageParams {
        /// The conversation.
        items messages: SamplingMessage = "messages",
        /// Which model would be best.
        optional model_preferences: ModelPreferences = "modelPreferences",
        /// What the model is told first.
        optional system_prompt: String = "systemPrompt",
        /// How much of other servers' context to add: `none`, `thisServer`, `allServers`.
        optional include_context: String = "includeContext",
        /// How free the model is.
        optional temperature: Number = "temperature",
        /// The longest answer, in tokens.
        required max_tokens: u64 = "maxTokens",
        /// Where the model stops.
        list stop_sequences: String = "stopSequences",
        /// For the model's maker.
        optional metadata: RawObject = "metadata",
        /// Tools that the model may call.
        raw tools: RawJson = "tools",
        /// Whether it must call one.
        raw tool_choice: RawJson = "toolChoice",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl CreateMessageParams {
    /// A conversation of one turn: what the user says. The answer has at most so many tokens.
    pub fn user(text: impl Into<String>, max_tokens: u64) -> Self {
        let turn = SamplingMessage {
            role: Role::User,
            content: SamplingContent::One(Box::new(ContentBlock::text(text))),
            meta: None,
            other: RawObject::new(),
        };
        Self {
            messages: vec![turn],
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: None,
            tool_choice: None,
            meta: None,
            other: RawObject::new(),
        }
    }
}

open_object! {
    /// One turn of the conversation.
    pub struct SamplingMessage {
        /// Who says it.
        required role: Role = "role",
        /// What is said.
        required content: SamplingContent = "content",
        /// What MCP and its extensions say about it.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// What the model said.
    pub struct CreateMessageResult {
        /// Who says it.
        required role: Role = "role",
        /// What is said.
        required content: SamplingContent = "content",
        /// Which model it was.
        required model: String = "model",
        /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another reason.
        optional stop_reason: String = "stopReason",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

/// One block, or from revision 2025-11-25 on a list of them; written as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingContent {
    /// One block.
    One(Box<ContentBlock>),
    /// A list of blocks.
    Many(Vec<ContentBlock>),
}

impl SamplingContent {
    /// The blocks.
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

/// Which model would be best; the host decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Parts of model names, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// How much a low price matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<Number>,
    /// How much a fast answer matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<Number>,
    /// How much a good answer matters, from 0 to 1.
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
    fn one_block_and_a_list_of_blocks_come_out_as_they_went_in() {
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
