//! `resources/*` and their notifications.

use super::{Cursor, Icon, PageParams};
use crate::{json::RawObject, rpc::Empty};
#[cfg(feature = "media")]
use base64::{Engine, prelude::BASE64_STANDARD};

calls! {
    /// Lists a server's resources.
    control ListResources = "resources/list": PageParams => ListResourcesResult;
    /// Lists the templates of the URIs of a server's resources.
    control ListResourceTemplates = "resources/templates/list": PageParams => ListResourceTemplatesResult;
    /// Reads a resource.
    call ReadResource = "resources/read": ResourceUri => ReadResourceResult;
    /// Subscribes to the changes of a resource.
    call SubscribeResource = "resources/subscribe": ResourceUri => Empty;
    /// Ends the subscription to a resource.
    call UnsubscribeResource = "resources/unsubscribe": ResourceUri => Empty;
}

notices! {
    /// Reports that a resource has changed.
    ResourceUpdated = "notifications/resources/updated": ResourceUri;
    /// Reports that the list of resources has changed.
    ResourceListChanged = "notifications/resources/list_changed": Empty;
}

open_object! {
    /// The URI of a resource.
    pub struct ResourceUri {
        /// The URI.
        required uri: String = "uri",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ResourceUri {
    /// Creates params for the resource with a URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: RawObject::new() }
    }
}

open_object! {
    /// One page of a server's resources.
    pub struct ListResourcesResult {
        /// The resources, in the server's order.
        items resources: Resource = "resources",
        /// The start of the next page; absent on the last page.
        optional next_cursor: Cursor = "nextCursor",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A resource as a server lists it. A member that does not have the expected form is kept in `other`.
    #[derive(Default)]
    pub struct Resource {
        /// The URI by which to read the resource.
        required uri: String = "uri",
        /// The name, for programs.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// A description of the resource.
        lenient description: String = "description",
        /// The media type.
        lenient mime_type: String = "mimeType",
        /// The size in bytes.
        lenient size: u64 = "size",
        /// Pictures of the resource.
        lenient_list icons: Icon = "icons",
        /// The audience and priority of the resource.
        lenient annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the resource.
        lenient meta: RawObject = "_meta",
    }
}

open_object! {
    /// One page of a server's resource templates.
    pub struct ListResourceTemplatesResult {
        /// The templates, in the server's order.
        items resource_templates: ResourceTemplate = "resourceTemplates",
        /// The start of the next page; absent on the last page.
        optional next_cursor: Cursor = "nextCursor",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// Resources whose URIs follow a template. A member that does not have the expected form is kept in `other`.
    #[derive(Default)]
    pub struct ResourceTemplate {
        /// The template (RFC 6570).
        required uri_template: String = "uriTemplate",
        /// The name, for programs.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// A description of the resources.
        lenient description: String = "description",
        /// The media type that all of the resources have.
        lenient mime_type: String = "mimeType",
        /// Pictures of the resources.
        lenient_list icons: Icon = "icons",
        /// The audience and priority of the resources.
        lenient annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the resources.
        lenient meta: RawObject = "_meta",
    }
}

open_object! {
    /// The result of reading a resource. It has more than one part if the URI names a folder.
    #[derive(Default)]
    pub struct ReadResourceResult {
        /// The parts.
        items contents: ResourceContents = "contents",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ReadResourceResult {
    /// Returns the text of a resource that is one text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &*self.contents {
            [ResourceContents { text, .. }] => text.as_deref(),
            _ => None,
        }
    }
}

open_object! {
    /// The contents of a resource: a text or bytes.
    #[derive(Default)]
    pub struct ResourceContents {
        /// The URI.
        required uri: String = "uri",
        /// The media type.
        optional mime_type: String = "mimeType",
        /// The contents as text.
        optional text: String = "text",
        /// The contents as bytes in base64.
        optional blob: String = "blob",
        /// Metadata of MCP and its extensions about the contents.
        optional meta: RawObject = "_meta",
    }
}

impl ResourceContents {
    /// Creates contents that are a text. All other members are absent.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// Creates contents from bytes, which are not yet in base64 (feature `media`). All other members are absent.
    #[cfg(feature = "media")]
    pub fn binary(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self { uri: uri.into(), blob: Some(BASE64_STANDARD.encode(bytes)), ..Self::default() }
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}
