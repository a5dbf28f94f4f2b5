//! The answer that a host gets instead of a kept result.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
    reference::{DataReference, REFERENCE_KEY},
    session_state::{MAX_SESSION_STATE, SESSION_STATE_KEY},
    tool_result::RESULT_KEY,
};

/// The maximum size of a result's metadata that is repeated in the answer, in bytes.
const MAX_META: usize = 1024;

/// The members of `_meta` that are repeated in the answer even if they are longer, with their own limits in bytes of JSON. Without its
/// session's state, a host that keeps it could not continue. The outcome has the sources of the data.
const LONGER_META: [(&str, usize); 2] =
    [(SESSION_STATE_KEY, 6 * MAX_SESSION_STATE + 2), (RESULT_KEY, 16 * 1024)];

/// The number of characters of a result that a host gets if it did not request to keep the result.
pub(super) const PREVIEW: usize = 1000;

/// Returns the answer with a reference. `preview` is the data whose beginning is shown. `is_structured` is true if the reference may be
/// structured content. A tool with an output schema requires structured content to match that schema.
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
         next tool with refs {{\"/ARGUMENT\": \"{ref_id}\"}}; to read a part, call mgp_result_read with ref \"{ref_id}\" and offset 0, itself or \
         through mgp_tools_call, or read the resource {uri}?offset=0&length=16384."
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
    if let Some(meta) = result.object("_meta") {
        let meta = short_meta(&meta);
        if !meta.is_empty() {
            answer.insert("_meta", meta.to_json());
        }
    }
    for key in ["resultType", "_mgp"] {
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

/// Returns the members of a result's `_meta` that are repeated in the answer.
fn short_meta(meta: &RawObject) -> RawObject {
    let (mut short, mut left) = (RawObject::new(), MAX_META);
    for (key, member) in meta.iter() {
        let length = key.len() + member.as_bytes().len();
        let longer = LONGER_META.iter().find(|(name, _)| *name == key);
        let fits = match longer {
            Some((_, most)) => member.as_bytes().len() <= *most,
            None => length <= left,
        };
        if fits {
            left -= if longer.is_none() { length } else { 0 };
            short.insert_named(key, member.detached());
        }
    }
    short
}

/// Returns a result that could not be kept, with the reason.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_metadata_is_left_out_except_the_state_and_the_outcome() {
        let (long, state) = ("x".repeat(2000), "s".repeat(MAX_SESSION_STATE));
        let meta = RawObject::from_iter([
            ("first", RawJson::string("1")),
            ("long", RawJson::string(&long)),
            (SESSION_STATE_KEY, RawJson::string(&state)),
            (RESULT_KEY, RawObject::from_iter([("explanation", RawJson::string(&long))]).to_json()),
            ("last", RawJson::string("2")),
        ]);
        let short = short_meta(&meta);
        let keys: Vec<_> = short.iter().map(|(key, _)| key.to_owned()).collect();
        assert_eq!(keys, ["first", SESSION_STATE_KEY, RESULT_KEY, "last"]);
        assert_eq!(short.text(SESSION_STATE_KEY), Some(state));
    }
}
