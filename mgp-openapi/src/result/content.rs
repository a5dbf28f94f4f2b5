//! The content of a response.

use crate::operation::{MediaKind, essence};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ContentBlock, ResourceContents},
};

/// Returns the content of a response as a block. A response without a media type is a text, if it can be one.
pub(super) fn content(content_type: Option<&str>, body: &[u8], uri: &str) -> ContentBlock {
    let media_type = content_type.map(essence).unwrap_or_default();
    match MediaKind::of(&media_type) {
        MediaKind::Image => ContentBlock::image(body, media_type),
        MediaKind::Audio => ContentBlock::audio(body, media_type),
        MediaKind::Json | MediaKind::Form | MediaKind::Text => {
            ContentBlock::text(String::from_utf8_lossy(body))
        }
        MediaKind::Bytes | MediaKind::Multipart => match std::str::from_utf8(body) {
            Ok(text) if media_type.is_empty() => ContentBlock::text(text),
            _ => {
                let contents = ResourceContents::binary(uri, body);
                let named = !media_type.is_empty();
                ContentBlock::resource(if named { contents.mime_type(media_type) } else { contents })
            }
        },
    }
}

/// Returns a JSON response as structured content, which is an object: the response itself, or one with the member
/// `result`.
pub(super) fn structured(content_type: Option<&str>, body: &[u8], is_wrapped: bool) -> Option<RawJson> {
    let media_type = content_type.map(essence).unwrap_or_default();
    let is_unnamed = media_type.is_empty() && matches!(body.trim_ascii_start().first(), Some(b'{' | b'['));
    if !is_unnamed && MediaKind::of(&media_type) != MediaKind::Json {
        return None;
    }
    let json = RawJson::parse(body.to_vec()).ok()?;
    if json.is_object() && !is_wrapped {
        return Some(json);
    }
    let mut object = RawObject::new();
    object.insert("result", json);
    Some(object.to_json())
}
