//! MCP's own methods and objects, one file per area. MGP never changes them (§1.2).
//!
//! Each request is a type that implements [`Call`](crate::rpc::Call), each notification a type that implements
//! [`Notice`](crate::rpc::Notice); both are named for their methods. Open parts (schemas, structured content, `_meta`)
//! are raw JSON, and objects that are forwarded keep the members that this version does not know.

mod cache;
mod cancelled;
mod capabilities;
mod completion;
pub mod conform;
mod content;
mod discover;
mod elicitation;
mod entries;
mod error_code;
mod extensions;
mod implementation;
mod initialize;
mod input;
mod listen;
mod logging;
mod page;
mod ping;
mod progress;
mod prompts;
mod resources;
mod result_type;
mod roots;
mod sampling;
pub mod stateless;
mod subject;
pub mod tasks;
mod tool;
mod tools;
mod version;

pub use cache::{CacheHint, CacheScope};
pub use cancelled::{Cancelled, CancelledParams};
pub use capabilities::{ClientCapabilities, ServerCapabilities};
pub use completion::{
    Complete, CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference,
};
pub use content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
};
pub use discover::{Discover, DiscoverResult};
pub use elicitation::{
    Elicit, ElicitAction, ElicitParams, ElicitResult, ElicitationComplete, ElicitationCompleteParams,
    FormElicitation, UrlElicitation,
};
pub use entries::{UnreadableEntry, read_entry};
pub use error_code::{McpErrorCode, uri_data};
pub use extensions::{APP_MIME_TYPE, APPS_EXTENSION, add_extensions, apps_offer};
pub use implementation::{Icon, Implementation};
pub use initialize::{Initialize, InitializeParams, InitializeResult, Initialized};
pub use input::{InputRequest, InputRequired, InputResponses, asks_for_input};
pub use listen::{Listen, ListenParams, MgpFilter, SubscriptionFilter, SubscriptionsAcknowledged};
pub use logging::{LogMessage, LogMessageParams, SetLevel, SetLevelParams};
pub use page::{Cursor, PageParams};
pub use ping::Ping;
pub use progress::{ESTIMATED_REMAINING_MS, Progress, ProgressParams};
pub use prompts::{
    GetPrompt, GetPromptParams, GetPromptResult, ListPrompts, ListPromptsResult, Prompt, PromptArgument,
    PromptListChanged, PromptMessage,
};
pub use resources::{
    ListResourceTemplates, ListResourceTemplatesResult, ListResources, ListResourcesResult, ReadResource,
    ReadResourceResult, Resource, ResourceContents, ResourceListChanged, ResourceTemplate, ResourceUpdated,
    ResourceUri, SubscribeResource, UnsubscribeResource,
};
pub use result_type::ResultType;
pub use roots::{ListRoots, ListRootsResult, Root, RootsListChanged};
pub use sampling::{
    CreateMessage, CreateMessageParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingContent,
    SamplingMessage,
};
pub use subject::subject_key;
pub use tool::Tool;
pub use tools::{CallTool, CallToolParams, CallToolResult, ListTools, ListToolsResult, ToolListChanged};
pub use version::ProtocolVersion;

pub use crate::logging_level::LoggingLevel;
pub use crate::request_meta::ProgressToken;
pub use crate::tool_annotations::ToolAnnotations;
