//! The answer that a host gets in place of a result that is kept.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
    reference::{DataReference, REFERENCE_KEY},
};

/// The longest metadata of a result that stands in the answer as well, in bytes.
const MAX_META: usize = 1024;

/// The number of characters of a result that a host is sent if it did not ask to have the result kept.
const PREVIEW: usize = 1000;

/// Returns the answer with a reference. `preview` is the data whose beginning is shown; `is_structured` says whether the reference may be
/// structured content, which a tool with an output schema has in the form of that schema alone.
pub(super) fn kept(
    result: &RawObject,
    reference: &DataReference,
    preview: Option<&str>,
    is_structured: bool,
) -> RawJson {
    let DataReference { ref_id, origin_server, mime_type, .. } = reference;
    let (bytes, until) =
        (reference.size_bytes.unwrap_or_default(), reference.expires_at.as_deref().unwrap_or_default());
    let uri = reference.uri();
    let mut text = format!(
        "The result is kept as {ref_id}: {bytes} bytes of {mime_type} from {origin_server}, until {until}. To pass it on, call the \
         next tool with refs {{\"/ARGUMENT\": \"{ref_id}\"}}; to read a part, read the resource {uri}?offset=0&length=16384."
    );
    if let Some(data) = preview {
        let start: String = data.chars().take(PREVIEW).collect();
        let characters = start.chars().count();
        text = format!("{text} Its first {characters} characters:\n{start}");
    }
    let value = RawJson::from_value(reference).unwrap_or_else(|_| RawJson::null());
    let mut answer = RawObject::new();
    answer.insert("content", blocks(&[ContentBlock::text(text)]));
    if is_structured {
        answer.insert("structuredContent", value.clone());
    }
    for key in ["resultType", "_meta", "_mgp"] {
        if let Some(member) = result.get(key).filter(|member| member.as_bytes().len() <= MAX_META) {
            answer.insert(key, member.detached());
        }
    }
    answer.edit("_meta", |meta| {
        meta.insert(REFERENCE_KEY, value);
        true
    });
    answer.to_json()
}

/// Returns a result that was to be kept and was not, with the reason.
pub(super) fn not_kept(result: &RawObject, reason: &str) -> RawJson {
    let mut answer = result.clone();
    let note = ContentBlock::text(format!("The result was not kept: {reason}."));
    let mut content: Vec<ContentBlock> = answer.decode("content").ok().flatten().unwrap_or_default();
    content.push(note);
    answer.insert("content", blocks(&content));
    answer.edit("_meta", |meta| {
        let reason = RawObject::from_iter([("not_kept", RawJson::string(reason))]);
        meta.insert(REFERENCE_KEY, reason.to_json());
        true
    });
    answer.to_json()
}

fn blocks(blocks: &[ContentBlock]) -> RawJson {
    RawJson::from_value(blocks).unwrap_or_else(|_| RawJson::null())
}
