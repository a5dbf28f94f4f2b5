//! `resources/*` and their notifications.

use super::{Cursor, Icon, PageParams, entries::reads_each};
use crate::{json::RawObject, rpc::Empty};

calls! {
    /// Lists a server's resources.
    control ListResources = "resources/list": PageParams => ListResourcesResult;
    /// Lists the templates that a server's resources have URIs by.
    control ListResourceTemplates = "resources/templates/list": PageParams => ListResourceTemplatesResult;
    /// Reads a resource.
    call ReadResource = "resources/read": ResourceUri => ReadResourceResult;
    /// Asks to be told when a resource changes.
    call SubscribeResource = "resources/subscribe": ResourceUri => Empty;
    /// Asks not to be told any more.
    call UnsubscribeResource = "resources/unsubscribe": ResourceUri => Empty;
}

notices! {
    /// A resource is another one now.
    ResourceUpdated = "notifications/resources/updated": ResourceUri;
    /// The list of resources is another one now.
    ResourceListChanged = "notifications/resources/list_changed": Empty;
}

open_object! {
    /// Which resource is meant.
    pub struct ResourceUri {
        /// Its URI.
        required uri: String = "uri",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ResourceUri {
    /// The resource with a URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: RawObject::new() }
    }
}

open_object! {
    /// One page of a server's resources.
    pub struct ListResourcesResult {
        /// The resources, in the server's order.
        items resources: Resource = "resources",
        /// Where the next page starts; absent on the last one.
        optional next_cursor: Cursor = "nextCursor",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

reads_each!(ListResourcesResult, resources: Resource in "resources" by "uri");

open_object! {
    /// A resource as a server lists it. A member of another form than it should have is kept among the `other` ones.
    pub struct Resource {
        /// The URI to read it by.
        required uri: String = "uri",
        /// The name, for programs.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// What it is.
        lenient description: String = "description",
        /// The media type.
        lenient mime_type: String = "mimeType",
        /// The size in bytes.
        lenient size: u64 = "size",
        /// Pictures of it.
        lenient_list icons: Icon = "icons",
        /// Who it is for, and how much it matters.
        lenient annotations: RawObject = "annotations",
        /// What MCP and its extensions say about it.
        lenient meta: RawObject = "_meta",
    }
}

open_object! {
    /// One page of a server's resource templates.
    pub struct ListResourceTemplatesResult {
        /// The templates, in the server's order.
        items resource_templates: ResourceTemplate = "resourceTemplates",
        /// Where the next page starts; absent on the last one.
        optional next_cursor: Cursor = "nextCursor",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

reads_each!(ListResourceTemplatesResult, resource_templates: ResourceTemplate in "resourceTemplates" by "uriTemplate");

open_object! {
    /// Resources whose URIs follow a template. A member of another form than it should have is kept among the `other` ones.
    pub struct ResourceTemplate {
        /// The template (RFC 6570).
        required uri_template: String = "uriTemplate",
        /// The name, for programs.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// What they are.
        lenient description: String = "description",
        /// The media type that all of them have.
        lenient mime_type: String = "mimeType",
        /// Pictures of them.
        lenient_list icons: Icon = "icons",
        /// Who they are for, and how much they matter.
        lenient annotations: RawObject = "annotations",
        /// What MCP and its extensions say about them.
        lenient meta: RawObject = "_meta",
    }
}

open_object! {
    /// What reading a resource gives: more than one part where the URI names a folder.
    pub struct ReadResourceResult {
        /// The parts.
        items contents: ResourceContents = "contents",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// The contents of a resource: a text or bytes.
    pub struct ResourceContents {
        /// The URI.
        required uri: String = "uri",
        /// The media type.
        optional mime_type: String = "mimeType",
        /// The contents as text.
        optional text: String = "text",
        /// The contents as bytes in base64.
        optional blob: String = "blob",
        /// What MCP and its extensions say about it.
        optional meta: RawObject = "_meta",
    }
}
