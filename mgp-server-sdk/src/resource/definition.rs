//! A resource: its description for clients, and the function that reads it.

use crate::{
    IntoResource, ToolError,
    handler::{self, BoxHandler, Handler},
    needs::Needs,
};
use mgp_types::mcp::{self, ReadResourceResult};
use std::sync::Arc;

/// A resource: its description for clients, and the function that reads it.
///
/// ```
/// use mgp_server_sdk::Resource;
///
/// async fn motd() -> &'static str {
///     "Be kind."
/// }
/// let resource = Resource::text("motd://today", "motd", motd).description("The message of the day");
/// ```
#[derive(Debug)]
pub struct Resource {
    pub(super) definition: mcp::Resource,
    pub(super) needs: Needs,
    pub(super) handler: BoxHandler<ReadResourceResult>,
}

impl Resource {
    /// Creates a resource of text, with the media type `text/plain` unless [`mime_type`](Self::mime_type) sets another.
    pub fn text<H, M>(uri: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        Self::new(uri.into(), name.into(), "text/plain", handler)
    }

    /// Creates a resource of bytes, with the media type `application/octet-stream` unless [`mime_type`](Self::mime_type) sets another.
    pub fn binary<H, M>(uri: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        Self::new(uri.into(), name.into(), "application/octet-stream", handler)
    }

    fn new<H, M>(uri: String, name: String, mime_type: &str, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let mime_type = Some(mime_type.to_owned());
        let definition = mcp::Resource { uri, name, mime_type, ..mcp::Resource::default() };
        Self { definition, needs, handler: reader(handler) }
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.definition.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.definition.size = Some(bytes);
        self
    }
}

/// The URI that is read, and its media type. They are stored in the message for the conversion of the function's return value.
#[derive(Debug, Clone)]
pub(super) struct ReadContext {
    pub(super) uri: Arc<str>,
    pub(super) mime_type: Arc<str>,
}

/// Erases the type of a handler that reads a resource.
pub(super) fn reader<H, M>(handler: H) -> BoxHandler<ReadResourceResult>
where
    H: Handler<M, ReadResourceResult, Output: IntoResource>,
{
    handler::boxed_with(handler, |call| {
        let reading = call.incoming().ext.get::<ReadContext>().cloned();
        move |answer: H::Output| {
            let Some(ReadContext { uri, mime_type }) = reading else {
                return Err(ToolError::new("nothing is read"));
            };
            answer.into_resource(&uri, &mime_type)
        }
    })
}
