//! The extension proposals' service manifest: the description of a server, its tools and its limits in one document. No part of the specification.

use crate::{
    json::RawObject,
    tool_metadata::{ToolMetadata, ToolMetadataReading},
};

open_object! {
    /// A service manifest, as returned by [`GetManifest`](crate::discovery::GetManifest) and published by servers. Reading and writing it
    /// loses nothing.
    ///
    /// ```
    /// use mgp_types::service_manifest::ServiceManifest;
    /// let text = r#"{"manifest_version":"0.1.0","server":{"name":"s","version":"1.0.0","mcp_spec_version":"2025-11-25"},
    ///     "tools":[{"name":"erase","description":"Erases","input_schema":{},"requires_confirmation":true}]}"#;
    /// let manifest: ServiceManifest = serde_json::from_str(text)?;
    /// assert_eq!(manifest.metadata_of("erase").unwrap().metadata.requires_confirmation, Some(true));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct ServiceManifest {
        /// The version of the document's form.
        required manifest_version: String = "manifest_version",
        /// The server.
        required server: DescribedServer = "server",
        /// The ways to authenticate, and the scopes.
        optional auth: RawObject = "auth",
        /// The tools, each with its name, its `input_schema` and the metadata of [`ToolMetadata`].
        items tools: RawObject = "tools",
        /// The proposals that the server supports, in the proposals' words.
        list supported_extensions: String = "supported_extensions",
        /// The limits on calls, and the rest of them.
        optional rate_limits: RawObject = "rate_limits",
        /// Other servers that this one recommends.
        list recommendations: RawObject = "recommendations",
    }
}

open_object! {
    /// The server that a manifest describes.
    pub struct DescribedServer {
        /// The name, for people.
        required name: String = "name",
        /// The version of the program.
        required version: String = "version",
        /// The revision of MCP.
        required mcp_spec_version: String = "mcp_spec_version",
        /// The purpose of the server.
        optional description: String = "description",
        /// The URL of the server's documentation.
        optional homepage: String = "homepage",
    }
}

impl ServiceManifest {
    /// Returns the metadata of a tool, or `None` if there is no tool with this name.
    #[must_use]
    pub fn metadata_of(&self, name: &str) -> Option<ToolMetadataReading> {
        let tool = self.tools.iter().find(|tool| tool.text("name").as_deref() == Some(name))?;
        Some(ToolMetadata::of_definition(tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_members_and_numbers_stay_unchanged() {
        let text = r#"{"manifest_version":"0.1.0","server":{"name":"s","version":"1.0.0","mcp_spec_version":"x","homepage":"u","own":1e500},"auth":{"methods":[]},"tools":[{"name":"a","x":[1.10]}],"supported_extensions":["streaming"],"rate_limits":{"remaining":4},"recommendations":[{"capability":"c"}],"own":null}"#;
        let manifest: ServiceManifest = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&manifest).unwrap(), text);
        assert!(manifest.metadata_of("a").is_some() && manifest.metadata_of("b").is_none());
        let error = serde_json::from_str::<ServiceManifest>(r#"{"manifest_version":"0.1.0"}"#).unwrap_err();
        assert!(error.to_string().contains("missing server"), "{error}");
    }
}
