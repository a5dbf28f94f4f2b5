//! How a client or server names itself.

use serde::{Deserialize, Serialize};

open_object! {
    /// The name and version of a client or server.
    pub struct Implementation {
        /// The name, for programs.
        required name: String = "name",
        /// The version, in its own form.
        required version: String = "version",
        /// The name, for people.
        optional title: String = "title",
        /// What it is for.
        optional description: String = "description",
        /// Its home page.
        optional website_url: String = "websiteUrl",
        /// Pictures of it.
        list icons: Icon = "icons",
    }
}

impl Implementation {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            website_url: None,
            icons: Vec::new(),
            other: crate::json::RawObject::new(),
        }
    }
}

/// A picture of a tool, resource, prompt or implementation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// Where it is: an `https:` or `data:` URI.
    pub src: String,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its sizes, such as `48x48` or `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// The background it is made for: `light` or `dark`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
}
