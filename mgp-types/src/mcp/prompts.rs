//! `prompts/*` and their notification.

use super::{ContentBlock, Cursor, Icon, PageParams, Role, entries::reads_each};
use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Lists a server's prompts.
    control ListPrompts = "prompts/list": PageParams => ListPromptsResult;
    /// Fills in a prompt.
    call GetPrompt = "prompts/get": GetPromptParams => GetPromptResult;
}

notices! {
    /// The list of prompts is another one now.
    PromptListChanged = "notifications/prompts/list_changed": Empty;
}

open_object! {
    /// One page of a server's prompts.
    pub struct ListPromptsResult {
        /// The prompts, in the server's order.
        items prompts: Prompt = "prompts",
        /// Where the next page starts; absent on the last one.
        optional next_cursor: Cursor = "nextCursor",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

reads_each!(ListPromptsResult, prompts: Prompt in "prompts" by "name");

open_object! {
    /// A prompt as a server lists it. A member of another form than it should have is kept among the `other` ones.
    pub struct Prompt {
        /// The name to get it by.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// What it is for.
        lenient description: String = "description",
        /// What can be filled in.
        lenient arguments: Vec<PromptArgument> = "arguments",
        /// Pictures of it.
        lenient_list icons: Icon = "icons",
        /// What MCP and its extensions say about it.
        lenient meta: RawObject = "_meta",
    }
}

/// One thing that a prompt leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// The name, for programs.
    pub name: String,
    /// The name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

open_object! {
    /// Which prompt to fill in, and with what.
    pub struct GetPromptParams {
        /// The prompt's name.
        required name: String = "name",
        /// Strings by argument name.
        optional arguments: RawObject = "arguments",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A prompt, filled in.
    pub struct GetPromptResult {
        /// What it is for.
        optional description: String = "description",
        /// The conversation that it starts.
        items messages: PromptMessage = "messages",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
}
