//! `prompts/*` and their notification.

use super::{ContentBlock, Cursor, Icon, PageParams, Role};
use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Lists a server's prompts.
    control ListPrompts = "prompts/list": PageParams => ListPromptsResult;
    /// Fills in a prompt.
    call GetPrompt = "prompts/get": GetPromptParams => GetPromptResult;
}

notices! {
    /// Reports that the list of prompts has changed.
    PromptListChanged = "notifications/prompts/list_changed": Empty;
}

open_object! {
    /// One page of a server's prompts.
    pub struct ListPromptsResult {
        /// The prompts, in the server's order.
        items prompts: Prompt = "prompts",
        /// The start of the next page; absent on the last page.
        optional next_cursor: Cursor = "nextCursor",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A prompt as a server lists it. A member that does not have the expected form is kept in `other`.
    #[derive(Default)]
    pub struct Prompt {
        /// The name by which to get the prompt.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// The purpose of the prompt.
        lenient description: String = "description",
        /// The arguments that can be filled in.
        lenient arguments: Vec<PromptArgument> = "arguments",
        /// Pictures of the prompt.
        lenient_list icons: Icon = "icons",
        /// Metadata of MCP and its extensions about the prompt.
        lenient meta: RawObject = "_meta",
    }
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// The name, for programs.
    pub name: String,
    /// The name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The value to fill in, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if the argument must be filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

open_object! {
    /// The prompt to fill in, and its arguments.
    pub struct GetPromptParams {
        /// The prompt's name.
        required name: String = "name",
        /// Strings by argument name.
        optional arguments: RawObject = "arguments",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A prompt, filled in.
    #[derive(Default)]
    pub struct GetPromptResult {
        /// The purpose of the prompt.
        optional description: String = "description",
        /// The conversation that the prompt starts.
        items messages: PromptMessage = "messages",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// The speaker.
    pub role: Role,
    /// The content of the turn.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// Creates a turn of the user, for example from a [`ContentBlock::text`].
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// Creates a turn of the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}
