//! Resources whose URIs follow a template.

use super::definition::reader;
use crate::{
    IntoCompletion, IntoResource,
    completion::Completers,
    handler::{BoxHandler, Handler},
    needs::Needs,
};
use mgp_types::mcp::{self, ReadResourceResult};

/// Resources whose URIs follow a template (RFC 6570, level 1). Each `{name}` matches one or more characters, which the function
/// receives as a field of its [`Args`](crate::extract::Args).
///
/// A variable holds no `/`, and ends at the first occurrence of the text that follows it in the template.
///
/// ```
/// use mgp_server_sdk::{ResourceTemplate, extract::Args};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     id: u64,
/// }
///
/// async fn note(Args(Note { id }): Args<Note>) -> String {
///     format!("note {id}")
/// }
/// let notes = ResourceTemplate::text("note://{id}", "note", note);
/// ```
#[derive(Debug)]
pub struct ResourceTemplate {
    pub(super) definition: mcp::ResourceTemplate,
    pub(super) needs: Needs,
    pub(super) handler: BoxHandler<ReadResourceResult>,
    pub(super) completers: Completers,
}

impl ResourceTemplate {
    /// Creates a template of text resources, with the media type `text/plain` unless [`mime_type`](Self::mime_type) sets another.
    pub fn text<H, M>(template: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        Self::new(template.into(), name.into(), "text/plain", handler)
    }

    /// Creates a template of binary resources, with the media type `application/octet-stream` unless [`mime_type`](Self::mime_type) sets
    /// another.
    pub fn binary<H, M>(template: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        Self::new(template.into(), name.into(), "application/octet-stream", handler)
    }

    fn new<H, M>(uri_template: String, name: String, mime_type: &str, handler: H) -> Self
    where
        H: Handler<M, ReadResourceResult, Output: IntoResource>,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let (mime_type, rest) = (Some(mime_type.to_owned()), mcp::ResourceTemplate::default());
        let definition = mcp::ResourceTemplate { uri_template, name, mime_type, ..rest };
        Self { definition, needs, handler: reader(handler), completers: Completers::default() }
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

    /// Sets the media type of all the resources.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.definition.mime_type = Some(mime_type.into());
        self
    }

    /// Adds proposals for a variable: a function that takes the [`Prefix`](crate::extract::Prefix) typed so far.
    #[must_use]
    pub fn complete<H, M>(mut self, variable: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, mcp::Completion, Output: IntoCompletion>,
    {
        self.completers.add(variable.into(), handler);
        self
    }
}
