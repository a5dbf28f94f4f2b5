//! Metadata of a tool beyond MCP.

use super::{
    Compensation, Cost, DeclaredError, Deprecation, Impact, LatencyClass, Quota, ToolExample, members::Member,
};
use crate::{
    context::RiskLevel,
    json::{RawJson, RawObject},
};
use semver::Version;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// The key in a tool's `_meta`.
pub const TOOL_KEY: &str = "dev.cloto/tool";

/// Metadata of a tool beyond MCP, as its server claims them.
///
/// ```
/// use mgp_types::{json::RawObject, tool_metadata::{LatencyClass, ToolMetadata}};
/// let tool = RawObject::parse(
///     r#"{"name":"export","latency":"minutes","_meta":{"dev.cloto/tool":{"version":"1.2.0","cost":"cheap"}}}"#,
/// )?;
/// let read = ToolMetadata::of_definition(&tool);
/// assert_eq!(read.metadata.version.unwrap().to_string(), "1.2.0");
/// assert_eq!(read.metadata.latency, Some(LatencyClass::Minutes));
/// assert_eq!(read.ignored[0].to_string(), "cost in _meta[\"dev.cloto/tool\"]: expected a JSON object, found a string");
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolMetadata {
    /// The version of the tool, which is not that of its server.
    pub version: Option<Version>,
    /// The statement that the tool is deprecated.
    pub deprecated: Option<Deprecation>,
    /// Examples of calls.
    pub examples: Vec<ToolExample>,
    /// The errors that the tool may fail with.
    pub errors: Vec<DeclaredError>,
    /// True if repeating a call has no further effect.
    pub idempotent: Option<bool>,
    /// The effect of repeating a call, in words.
    pub idempotency: Option<String>,
    /// Risks, and the measures against them.
    pub security_notes: Vec<String>,
    /// The author of the tool.
    pub author: Option<String>,
    /// Words to find the tool by.
    pub tags: Vec<String>,
    /// The cost of a call.
    pub cost: Option<Cost>,
    /// The time that a call is likely to take.
    pub latency: Option<LatencyClass>,
    /// The remaining calls.
    pub quota: Option<Quota>,
    /// The MIME types that the tool takes. Only hints, which exclude nothing.
    pub input_types: Vec<String>,
    /// The MIME types that the tool returns. Only hints, which exclude nothing.
    pub output_types: Vec<String>,
    /// The largest arguments that the tool takes, in bytes of their JSON.
    pub max_input_size_bytes: Option<u64>,
    /// The way in which the tool takes binary input, such as `multipart`.
    pub binary_transport: Option<String>,
    /// The call that undoes a call.
    pub compensation: Option<Compensation>,
    /// The scopes that a caller needs at the service behind the tool.
    pub required_scopes: Vec<String>,
    /// True if each call has to be approved.
    pub requires_confirmation: Option<bool>,
    /// The message for the approver, with `{parameter}` for arguments.
    pub confirmation_message: Option<String>,
    /// The impact of a call.
    pub risk_level: Option<Impact>,
    /// True if the tool sends partial results.
    pub supports_streaming: Option<bool>,
    /// True if the tool returns its results in pages.
    pub supports_pagination: Option<bool>,
    /// Members of `_meta["dev.cloto/tool"]` that are unknown or unreadable here.
    pub other: RawObject,
}

impl ToolMetadata {
    /// Returns whether no member is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the risk that the claimed impact stands for.
    #[must_use]
    pub fn risk(&self) -> Option<RiskLevel> {
        self.risk_level.map(Impact::risk)
    }

    /// Writes the metadata into a tool's `_meta`, replacing existing ones.
    ///
    /// # Errors
    /// [`JsonError`](crate::json::JsonError) if a number cannot be written, such as a cost that is not finite.
    pub fn put(&self, meta: &mut RawObject) -> Result<(), crate::json::JsonError> {
        if self.is_empty() {
            meta.remove(TOOL_KEY);
        } else {
            meta.insert(TOOL_KEY, RawJson::from_value(self)?);
        }
        Ok(())
    }
}

impl Serialize for ToolMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for member in Member::ALL {
            member.write(self, &mut map)?;
        }
        for (key, value) in
            self.other.iter().filter(|(key, _)| !Member::named(key).is_some_and(|one| one.is_set(self)))
        {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
