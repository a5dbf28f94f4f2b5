//! Content blocks: the content of tools' answers, prompts and models' messages.

use super::{Icon, ResourceContents};
use crate::json::{JsonError, RawJson, RawObject};
#[cfg(feature = "media")]
use base64::{Engine, prelude::BASE64_STANDARD};
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

/// One piece of content. An unknown type is kept as it was read.
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

impl TextContent {
    /// Creates a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: None, other: RawObject::new() }
    }
}

/// Defines the constructors of content made of bytes.
macro_rules! made_of_bytes {
    ($($name:ident),+) => {$(
        impl $name {
            /// Creates the content from its bytes, which are not yet in base64, and their media type (feature `media`).
            #[cfg(feature = "media")]
            pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
                Self::from_base64(BASE64_STANDARD.encode(bytes), mime_type)
            }

            /// Returns the bytes; `None` if the data is not base64 (feature `media`).
            #[cfg(feature = "media")]
            #[must_use]
            pub fn bytes(&self) -> Option<Vec<u8>> {
                BASE64_STANDARD.decode(&self.data).ok()
            }

            /// Creates the content from bytes that are in base64 already, and their media type.
            pub fn from_base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
                Self {
                    data: data.into(),
                    mime_type: mime_type.into(),
                    annotations: None,
                    meta: None,
                    other: RawObject::new(),
                }
            }
        }
    )+};
}

made_of_bytes!(ImageContent, AudioContent);

impl ResourceLink {
    /// Creates a link to the resource with a URI and a name. All other members are absent.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
            other: RawObject::new(),
        }
    }
}

impl EmbeddedResource {
    /// Creates content that holds the contents of a resource.
    #[must_use]
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, annotations: None, meta: None, other: RawObject::new() }
    }
}

macro_rules! block_of {
    ($($content:ident => $variant:ident),+) => {$(
        impl From<$content> for ContentBlock {
            fn from(content: $content) -> Self {
                Self::$variant(content)
            }
        }
    )+};
}

block_of!(
    TextContent => Text,
    ImageContent => Image,
    AudioContent => Audio,
    ResourceLink => ResourceLink,
    EmbeddedResource => Resource
);

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// Creates an image block from the bytes of the image and their media type (feature `media`).
    ///
    /// ```
    /// use mgp_types::mcp::ContentBlock;
    /// let image = ContentBlock::image(b"\x89PNG", "image/png");
    /// let json = r#"{"type":"image","data":"iVBORw==","mimeType":"image/png"}"#;
    /// assert_eq!(serde_json::to_string(&image)?, json);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[cfg(feature = "media")]
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        ImageContent::new(bytes, mime_type).into()
    }

    /// Creates an audio block from the bytes of the sound and their media type (feature `media`).
    #[cfg(feature = "media")]
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        AudioContent::new(bytes, mime_type).into()
    }

    /// Creates a block that links to the resource with a URI and a name.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink::new(uri, name).into()
    }

    /// Creates a block that holds the contents of a resource.
    #[must_use]
    pub fn resource(resource: ResourceContents) -> Self {
        EmbeddedResource::new(resource).into()
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
    fn every_type_survives_unchanged() {
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
    fn blocks_are_built_without_absent_members() {
        let written = |block: ContentBlock| serde_json::to_string(&block).unwrap();
        assert_eq!(written(TextContent::new("a").into()), r#"{"type":"text","text":"a"}"#);
        let image = ImageContent::from_base64("AP8=", "image/png");
        assert_eq!(written(image.into()), r#"{"type":"image","data":"AP8=","mimeType":"image/png"}"#);
        let link = r#"{"type":"resource_link","uri":"file:///a","name":"a"}"#;
        assert_eq!(written(ContentBlock::link("file:///a", "a")), link);
        let resource = ContentBlock::resource(ResourceContents::text("file:///a", "b"));
        assert_eq!(written(resource), r#"{"type":"resource","resource":{"uri":"file:///a","text":"b"}}"#);
    }

    #[cfg(feature = "media")]
    #[test]
    fn bytes_are_encoded_in_base64_and_base64_is_kept() {
        let image = ImageContent::from_base64("AP8=", "image/png");
        let image_bytes = image.bytes();
        assert_eq!(ContentBlock::image(b"\x00\xff", "image/png"), ContentBlock::from(image));
        let broken = ImageContent::from_base64("AP8", "image/png");
        assert_eq!((image_bytes, broken.bytes()), (Some(vec![0, 255]), None));
        let audio = AudioContent::from_base64("AP8=", "audio/wav");
        assert_eq!(ContentBlock::audio(b"\x00\xff", "audio/wav"), ContentBlock::from(audio));
        assert_eq!(ResourceContents::binary("file:///a", b"\x00\xff").blob.as_deref(), Some("AP8="));
    }

    #[test]
    fn a_known_type_without_its_required_member_is_refused() {
        let read = |text| serde_json::from_str::<ContentBlock>(text).unwrap_err().to_string();
        assert!(read(r#"{"type":"text"}"#).contains("missing text"));
        assert!(read(r#"{"text":"a"}"#).contains("missing type"));
        assert!(read(r#""a""#).contains("expected a JSON object, found a string"));
    }
}
