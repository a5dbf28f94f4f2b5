//! The blocks of a result.

use super::{
    media::media,
    value::{MAX_PARTS, value_within},
};
use crate::page::{Context, foreign, foreign_block};
use maud::{Markup, html};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{CallToolResult, ContentBlock, EmbeddedResource, ResourceLink},
};

/// The most blocks of a result.
const MAX_BLOCKS: usize = 50;

/// Returns all that a result has for people, and the whole of it as JSON.
pub(in crate::pages::tools) fn content(context: &Context, json: &str) -> Markup {
    let words = &context.texts.tools;
    let Ok(result) = serde_json::from_str::<CallToolResult>(json) else { return foreign_block(json) };
    let structured = result.structured_content.as_ref();
    let is_repeated = |block: &&ContentBlock| !structured.is_some_and(|value| repeats(block, value));
    let blocks: Vec<_> = result.content.iter().filter(is_repeated).collect();
    let mut left = MAX_PARTS;
    let left_out = blocks.len().saturating_sub(MAX_BLOCKS);
    html! {
        @if let Some(value) = structured { (value_within(context, value, &mut left)) }
        @if structured.is_none() && blocks.is_empty() { p .quiet { (words.no_content) } }
        @for shown in blocks.iter().take(MAX_BLOCKS) { (block(context, shown, &mut left)) }
        @if left_out > 0 { p .quiet { (crate::texts::number(left_out as u64, &words.more_one, &words.more_many)) } }
        @if let Some(meta) = result.meta.as_ref().filter(|meta| !meta.is_empty()) {
            details { summary { (words.metadata) } (value_within(context, &meta.to_json(), &mut left)) }
        }
        details { summary { (words.as_json) } (foreign_block(json)) }
    }
}

/// Returns whether a block is the text of the structured content, which servers add for older clients.
fn repeats(block: &ContentBlock, structured: &RawJson) -> bool {
    let ContentBlock::Text(text) = block else { return false };
    let as_value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    as_value(&text.text)
        .is_some_and(|value| as_value(structured.as_str()).is_some_and(|other| other == value))
}

fn block(context: &Context, block: &ContentBlock, left: &mut usize) -> Markup {
    match block {
        ContentBlock::Text(text) => text_view(context, &text.text, left),
        ContentBlock::Image(image) => media(context, &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => media(context, &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => resource_link(context, link),
        ContentBlock::Resource(resource) => embedded(context, resource, left),
        ContentBlock::Other(other) => value_within(context, &other.to_json(), left),
    }
}

/// Returns a text, which may hold JSON.
fn text_view(context: &Context, text: &str, left: &mut usize) -> Markup {
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    match RawJson::parse(text.to_owned()) {
        Ok(value) if looks_like_json => value_within(context, &value, left),
        _ => foreign_block(text),
    }
}

/// Returns the address of a resource as text: its server chose it, so that it is not a link.
fn resource_link(context: &Context, link: &ResourceLink) -> Markup {
    let words = &context.texts.tools;
    html! {
        dl .value {
            dt { (words.resource) } dd { (foreign(&link.uri)) }
            dt { (words.name) } dd { (foreign(link.title.as_ref().unwrap_or(&link.name))) }
            @if let Some(description) = &link.description { dt { (words.description) } dd { (foreign(description)) } }
            @if let Some(media_type) = &link.mime_type { dt { (words.media_type) } dd { (foreign(media_type)) } }
        }
    }
}

fn embedded(
    context: &Context,
    EmbeddedResource { resource, .. }: &EmbeddedResource,
    left: &mut usize,
) -> Markup {
    let words = &context.texts.tools;
    let media_type = resource.mime_type.as_deref().unwrap_or_default();
    html! {
        dl .value { dt { (words.resource) } dd { (foreign(&resource.uri)) } }
        @if let Some(text) = &resource.text { (text_view(context, text, left)) }
        @if let Some(blob) = &resource.blob { (media(context, media_type, blob)) }
    }
}

/// Returns whether a result says that the tool failed.
pub(in crate::pages::tools) fn is_failure(json: &str) -> bool {
    let result = RawObject::parse(json.to_owned());
    result.is_ok_and(|result| result.decode::<bool>("isError").is_ok_and(|failed| failed == Some(true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    fn shown(json: &str) -> String {
        content(&context(), json).into_string()
    }

    #[test]
    fn each_kind_of_block_is_shown() {
        let shown = shown(
            r#"{"content":[{"type":"text","text":"Hello\n<b>"},{"type":"text","text":"[{\"a\":1}]"},
            {"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"audio","mimeType":"audio/wav","data":"AAAA"},
            {"type":"resource_link","uri":"javascript:alert(1)","name":"Link"},
            {"type":"resource","resource":{"uri":"file:///a","text":"inside"}},{"type":"new","x":"y"}]}"#,
        );
        for expected in [
            "Hello\n&lt;b&gt;",
            "<table>",
            "data:image/png",
            "<audio",
            "javascript:alert(1)",
            "inside",
            ">y<",
        ] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        assert!(!shown.contains("href=") && !shown.contains("<b>"), "{shown}");
    }

    #[test]
    fn the_text_of_structured_content_is_shown_once() {
        let json = r#"{"content":[{"type":"text","text":"{ \"n\": 41 }"}],"structuredContent":{"n":41}}"#;
        let shown_once = shown(json);
        assert_eq!(shown_once.matches(">n<").count(), 1, "{shown_once}");
        let other =
            shown(r#"{"content":[{"type":"text","text":"{ \"n\": 42 }"}],"structuredContent":{"n":41}}"#);
        assert_eq!(other.matches(">n<").count(), 2);
    }

    #[test]
    fn an_answer_of_another_form_is_shown_as_text() {
        assert!(shown("<not json>").contains("&lt;not json&gt;"));
        assert!(shown(r#"{"content":[]}"#).contains(&context().texts.tools.no_content));
    }

    #[test]
    fn many_blocks_of_many_values_are_bounded() {
        let table = vec![r#"{\"a\":1,\"b\":2}"#; 200].join(",");
        let block = format!(r#"{{"type":"text","text":"[{table}]"}}"#);
        let json = format!("{{\"content\":[{}]}}", vec![block; MAX_BLOCKS].join(","));
        let cells = shown(&json).matches("<td>").count();
        assert!(cells > 1000 && cells <= MAX_PARTS, "{cells}");
    }

    #[test]
    fn many_blocks_are_cut_with_a_line() {
        let blocks = vec![r#"{"type":"text","text":"x"}"#; MAX_BLOCKS + 3].join(",");
        assert!(shown(&format!("{{\"content\":[{blocks}]}}")).contains("3 more"));
    }
}
