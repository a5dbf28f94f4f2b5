//! The name of a client or server, as it states it.

use serde::{Deserialize, Serialize};

open_object! {
    /// The name and version of a client or server.
    #[derive(Default)]
    pub struct Implementation {
        /// The name, for programs.
        required name: String = "name",
        /// The version, in the implementation's own form.
        required version: String = "version",
        /// The name, for people.
        optional title: String = "title",
        /// The purpose of the implementation.
        optional description: String = "description",
        /// The implementation's home page.
        optional website_url: String = "websiteUrl",
        /// Pictures of the implementation.
        list icons: Icon = "icons",
    }
}

impl Implementation {
    /// Creates an implementation with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// A picture of a tool, resource, prompt or implementation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// The picture's address: an `https:` or `data:` URI.
    pub src: String,
    /// The picture's media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The picture's sizes, such as `48x48` or `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// The background that the picture is made for: `light` or `dark`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
}
