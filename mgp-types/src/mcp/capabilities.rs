//! The capabilities that a client and a server declare.

use crate::json::{RawJson, RawObject};
use serde::{Deserialize, Serialize};

/// The capabilities of a client. Every member is kept, known or not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientCapabilities(pub RawObject);

/// The capabilities of a server. Every member is kept, known or not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerCapabilities(pub RawObject);

/// Returns whether `capabilities.<area>.<flag>` is true.
fn flag(capabilities: &RawObject, area: &str, flag: &str) -> bool {
    capabilities.object(area).is_some_and(|area| area.get(flag).is_some_and(|value| value.as_str() == "true"))
}

impl ClientCapabilities {
    /// Adds a capability without settings.
    #[must_use]
    pub fn with(mut self, area: &str) -> Self {
        self.0.insert_named(area, RawJson::empty_object());
        self
    }

    /// Returns whether the client answers `sampling/createMessage`.
    #[must_use]
    pub fn sampling(&self) -> bool {
        self.0.get("sampling").is_some_and(RawJson::is_object)
    }

    /// Returns whether the client answers `roots/list`.
    #[must_use]
    pub fn roots(&self) -> bool {
        self.0.get("roots").is_some_and(RawJson::is_object)
    }

    /// Returns whether the client shows forms to its user. A client that names no kind of elicitation shows forms.
    #[must_use]
    pub fn elicits_forms(&self) -> bool {
        self.0
            .object("elicitation")
            .is_some_and(|kinds| kinds.get("form").is_some() || kinds.get("url").is_none())
    }

    /// Returns whether the client opens URLs for its user.
    #[must_use]
    pub fn elicits_urls(&self) -> bool {
        self.0.object("elicitation").is_some_and(|kinds| kinds.get("url").is_some())
    }
}

impl ServerCapabilities {
    /// Adds a capability without settings.
    #[must_use]
    pub fn with(mut self, area: &str) -> Self {
        self.0.insert_named(area, RawJson::empty_object());
        self
    }

    /// Adds a capability whose lists are announced when they change.
    #[must_use]
    pub fn with_list_changed(mut self, area: &str) -> Self {
        let mut settings = self.0.object(area).unwrap_or_default();
        settings.insert("listChanged", true.into());
        self.0.insert_named(area, settings.to_json());
        self
    }

    /// Returns whether the server has an area: `tools`, `resources`, `prompts`, `completions`, `logging`. Some servers write an empty
    /// array or `true` where the specification has an object.
    #[must_use]
    pub fn has(&self, area: &str) -> bool {
        self.0.get(area).is_some_and(|value| !value.is_null() && value.as_str() != "false")
    }

    /// Returns whether the server announces changes of an area's list.
    #[must_use]
    pub fn list_changed(&self, area: &str) -> bool {
        flag(&self.0, area, "listChanged")
    }

    /// Returns whether clients can subscribe to single resources.
    #[must_use]
    pub fn resource_subscriptions(&self) -> bool {
        flag(&self.0, "resources", "subscribe")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_capabilities_survive_unchanged() {
        let text = r#"{"sampling":{},"x":{"n":1e500},"elicitation":{}}"#;
        let read: ClientCapabilities = serde_json::from_str(text).unwrap();
        assert!(read.sampling() && read.elicits_forms() && !read.elicits_urls() && !read.roots());
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn a_written_list_changed_reads_back() {
        let server = ServerCapabilities::default().with("logging").with_list_changed("tools");
        assert!(server.has("tools") && server.list_changed("tools") && server.has("logging"));
        let sloppy: ServerCapabilities =
            serde_json::from_str(r#"{"tools":[],"prompts":true,"resources":null,"logging":false}"#).unwrap();
        assert!(sloppy.has("tools") && sloppy.has("prompts"));
        assert!(!sloppy.has("resources") && !sloppy.has("logging"));
        assert!(
            !server.list_changed("logging") && !server.has("prompts") && !server.resource_subscriptions()
        );
    }

    #[test]
    fn a_client_that_only_opens_urls_shows_no_forms() {
        let read: ClientCapabilities = serde_json::from_str(r#"{"elicitation":{"url":{}}}"#).unwrap();
        assert!(read.elicits_urls() && !read.elicits_forms());
    }
}
