//! The resource `mgp://manifest`, for hosts that only know MCP.

use super::{ManifestSource, document};
use crate::{features::own_resources::ListedResource, ground::manifest_uri::MANIFEST_URI};
use mgp_transport::seam::{Reply, TokenGrant};
use mgp_types::{
    context::Principal,
    json::{JsonError, RawJson, RawObject},
};

/// The type of its content.
const JSON: &str = "application/json";

impl ListedResource for ManifestSource {
    fn uri(&self) -> &str {
        MANIFEST_URI
    }

    fn entry(&self) -> RawJson {
        let members = [
            ("uri", MANIFEST_URI),
            ("name", "manifest"),
            ("description", "Every tool that this agent may call, with schemas, costs and risks"),
            ("mimeType", JSON),
        ];
        RawObject::from_iter(members.map(|(key, value)| (key, RawJson::string(value)))).to_json()
    }

    fn read(&self, principal: &Principal, granted: Option<&TokenGrant>) -> Reply {
        let content = || -> Result<RawJson, JsonError> {
            let text = RawJson::from_value(&document(self, principal, granted))?;
            let content = [("uri", MANIFEST_URI), ("mimeType", JSON), ("text", text.as_str())];
            let content =
                RawObject::from_iter(content.map(|(key, value)| (key, RawJson::string(value)))).to_json();
            Ok(RawObject::from_iter([("contents", RawJson::from_value(&[content])?)]).to_json())
        };
        match content() {
            Ok(result) => Reply::ok(result),
            Err(error) => Reply::error(error.into()),
        }
    }
}
