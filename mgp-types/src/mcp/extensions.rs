//! Extensions of MCP (SEP-2133): settings by name in the `extensions` of both sides' capabilities.

use super::{ClientCapabilities, ServerCapabilities, tasks::extension::TASKS_EXTENSION};
use crate::{
    json::{RawJson, RawObject},
    negotiation::Carrier,
};

/// The name of the extension MCP Apps.
pub const APPS_EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The type of the pages of MCP Apps.
pub const APP_MIME_TYPE: &str = "text/html;profile=mcp-app";

const MEMBER: &str = "extensions";

impl ClientCapabilities {
    /// Returns the settings of all extensions by name, except those of MGP and of tasks, which have types of their own.
    ///
    /// ```
    /// use mgp_types::mcp::ClientCapabilities;
    /// let client: ClientCapabilities = serde_json::from_str(
    ///     r#"{"extensions":{"dev.cloto/mgp":{"version":"0.6.0"},"com.example/x":{"level":2}}}"#,
    /// )?;
    /// assert_eq!(client.other_extensions().to_json().as_str(), r#"{"com.example/x":{"level":2}}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn other_extensions(&self) -> RawObject {
        others(&self.0)
    }

    /// Returns whether the client shows the pages of MCP Apps.
    #[must_use]
    pub fn shows_apps(&self) -> bool {
        let settings = self.0.object(MEMBER).and_then(|all| all.object(APPS_EXTENSION));
        let types = settings.and_then(|settings| settings.decode::<Vec<String>>("mimeTypes").ok().flatten());
        types.is_some_and(|types| types.iter().any(|name| name == APP_MIME_TYPE))
    }
}

impl ServerCapabilities {
    /// Returns the settings of all extensions by name, except those of MGP and of tasks, which have types of their own.
    #[must_use]
    pub fn other_extensions(&self) -> RawObject {
        others(&self.0)
    }
}

/// Adds settings of extensions to capabilities. A name that is already there keeps its settings.
pub fn add_extensions(capabilities: &mut RawObject, settings: &RawObject) {
    if settings.is_empty() {
        return;
    }
    let mut all = capabilities.object(MEMBER).unwrap_or_default();
    for (name, value) in settings.iter() {
        if all.get(name).is_none() {
            all.insert_named(name, value.clone());
        }
    }
    capabilities.insert(MEMBER, all.to_json());
}

/// Returns the settings with which a client offers MCP Apps.
#[must_use]
pub fn apps_offer() -> RawJson {
    RawJson::from_value(&serde_json::json!({"mimeTypes": [APP_MIME_TYPE]}))
        .unwrap_or_else(|_| RawJson::empty_object())
}

fn others(capabilities: &RawObject) -> RawObject {
    let mut capabilities = capabilities.clone();
    Carrier::strip(&mut capabilities);
    let mut extensions = capabilities.object(MEMBER).unwrap_or_default();
    extensions.remove(TASKS_EXTENSION);
    extensions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> ClientCapabilities {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn only_a_client_with_the_type_of_apps_shows_them() {
        for (settings, expected) in [
            (r#"{"mimeTypes":["text/html;profile=mcp-app"]}"#, true),
            (r#"{"mimeTypes":["text/html","text/html;profile=mcp-app"]}"#, true),
            (r#"{"mimeTypes":["text/html"]}"#, false),
            (r#"{"mimeTypes":"text/html;profile=mcp-app"}"#, false),
            ("{}", false),
            ("true", false),
        ] {
            let client = client(&format!(r#"{{"extensions":{{"{APPS_EXTENSION}":{settings}}}}}"#));
            assert_eq!(client.shows_apps(), expected, "{settings}");
        }
        assert!(!ClientCapabilities::default().shows_apps());
        let mut offered = ClientCapabilities::default();
        add_extensions(&mut offered.0, &RawObject::from_iter([(APPS_EXTENSION, apps_offer())]));
        assert!(offered.shows_apps());
    }

    #[test]
    fn added_extensions_keep_the_settings_that_are_there() {
        let mut capabilities = client(r#"{"extensions":{"a.b/c":{"n":1}},"tools":{}}"#).0;
        add_extensions(&mut capabilities, &client(r#"{"a.b/c":{"n":2},"d.e/f":{}}"#).0);
        let expected = r#"{"extensions":{"a.b/c":{"n":1},"d.e/f":{}},"tools":{}}"#;
        assert_eq!(capabilities.to_json().as_str(), expected);
        let before = capabilities.to_json();
        add_extensions(&mut capabilities, &RawObject::new());
        assert_eq!(capabilities.to_json(), before);
    }
}
