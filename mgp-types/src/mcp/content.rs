//! Content blocks: the content of tools' answers, prompts and models' messages.

use super::{Icon, ResourceContents};
use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

spelled! {
    /// The speaker in a conversation.
    pub enum Role as "role" {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

/// One piece of content. A type that is not known here is kept as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentBlock {
    /// `text`
    Text(TextContent),
    /// `image`
    Image(ImageContent),
    /// `audio`
    Audio(AudioContent),
    /// `resource_link`
    ResourceLink(ResourceLink),
    /// `resource`
    Resource(EmbeddedResource),
    /// Any other type, `type` member included.
    Other(RawObject),
}

open_object! {
    /// A text.
    pub struct TextContent {
        /// The text.
        required text: String = "text",
        /// The audience and priority of the content.
        optional annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the content.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A picture.
    pub struct ImageContent {
        /// The bytes in base64.
        required data: String = "data",
        /// The media type.
        required mime_type: String = "mimeType",
        /// The audience and priority of the content.
        optional annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the content.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A sound.
    pub struct AudioContent {
        /// The bytes in base64.
        required data: String = "data",
        /// The media type.
        required mime_type: String = "mimeType",
        /// The audience and priority of the content.
        optional annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the content.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A resource that can be read by its URI.
    pub struct ResourceLink {
        /// The URI.
        required uri: String = "uri",
        /// The name, for programs.
        required name: String = "name",
        /// The name, for people.
        optional title: String = "title",
        /// A description of the resource.
        optional description: String = "description",
        /// The media type.
        optional mime_type: String = "mimeType",
        /// The size in bytes.
        optional size: u64 = "size",
        /// Pictures of the resource.
        list icons: Icon = "icons",
        /// The audience and priority of the resource.
        optional annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the resource.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A resource with its contents.
    pub struct EmbeddedResource {
        /// The contents.
        required resource: ResourceContents = "resource",
        /// The audience and priority of the content.
        optional annotations: RawObject = "annotations",
        /// Metadata of MCP and its extensions about the content.
        optional meta: RawObject = "_meta",
    }
}

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), annotations: None, meta: None, other: RawObject::new() })
    }

    /// Returns the text if the block is a text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    fn from_object(mut object: RawObject) -> Result<Self, JsonError> {
        let kind = object.get("type").ok_or(JsonError::Missing("type"))?.to_text();
        let kind = kind.as_deref().unwrap_or_default();
        if !matches!(kind, "text" | "image" | "audio" | "resource_link" | "resource") {
            return Ok(Self::Other(object));
        }
        object.remove("type");
        Ok(match kind {
            "text" => Self::Text(TextContent::from_object(object)?),
            "image" => Self::Image(ImageContent::from_object(object)?),
            "audio" => Self::Audio(AudioContent::from_object(object)?),
            "resource_link" => Self::ResourceLink(ResourceLink::from_object(object)?),
            _ => Self::Resource(EmbeddedResource::from_object(object)?),
        })
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let kind = match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Audio(_) => "audio",
            Self::ResourceLink(_) => "resource_link",
            Self::Resource(_) => "resource",
            Self::Other(object) => {
                for (key, value) in object.iter() {
                    map.serialize_entry(key, value)?;
                }
                return map.end();
            }
        };
        map.serialize_entry("type", kind)?;
        match self {
            Self::Text(content) => content.write_members(&mut map)?,
            Self::Image(content) => content.write_members(&mut map)?,
            Self::Audio(content) => content.write_members(&mut map)?,
            Self::ResourceLink(content) => content.write_members(&mut map)?,
            Self::Resource(content) => content.write_members(&mut map)?,
            Self::Other(_) => {}
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        RawObject::from_json(&json).and_then(Self::from_object).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ContentBlock {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ContentBlock".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // MCP's own schema has the members of each type.
        schemars::json_schema!({
            "type": "object",
            "properties": { "type": { "type": "string" } },
            "required": ["type"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_out_as_it_went_in() {
        for text in [
            r#"{"type":"text","text":"a","annotations":{"priority":0.10},"x":1e500}"#,
            r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#,
            r#"{"type":"audio","data":"AA==","mimeType":"audio/wav","_meta":{"a":1}}"#,
            r#"{"type":"resource_link","uri":"file:///a","name":"a","size":7}"#,
            r#"{"type":"resource","resource":{"uri":"file:///a","text":"b","y":[1.0]}}"#,
            r#"{"type":"tool_use","id":"1","input":{"n":123456789012345678901234567890.10}}"#,
            r#"{"type":7,"text":"a"}"#,
        ] {
            let block: ContentBlock = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&block).unwrap(), text);
        }
    }

    #[test]
    fn a_known_type_without_what_it_needs_is_refused_by_name() {
        let read = |text| serde_json::from_str::<ContentBlock>(text).unwrap_err().to_string();
        assert!(read(r#"{"type":"text"}"#).contains("missing text"));
        assert!(read(r#"{"text":"a"}"#).contains("missing type"));
        assert!(read(r#""a""#).contains("expected a JSON object, found a string"));
    }
}
