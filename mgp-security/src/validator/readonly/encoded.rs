//! Texts within texts: JSON, forms, hexadecimal digits and base64.

use super::{
    finding::Finding,
    mongo, names,
    statements::{Start, start},
    tokens::LONGEST,
};
use crate::validator::{Leaf, LeafKind};
use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Judges the strings inside a text that is JSON, a form, or encoded in base64.
pub(super) fn inside(leaf: &Leaf, judge: impl Fn(&Leaf) -> Option<Finding>) -> Option<Finding> {
    const PARTS: Finding = Finding::Doubt("JSON of more parts than are judged");
    const ROOM: usize = 4 << 20;
    let text = leaf.text.trim();
    if text.len() > LONGEST {
        return None;
    }
    if text.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<serde_json::Value>(text)
    {
        let (mut leaves, mut room) = (Vec::new(), ROOM);
        let all = strings(&leaf.pointer, value, &mut leaves, &mut room);
        let root = mongo::Root::of(&leaves);
        let found = leaves.iter().find_map(|inner| match inner.kind {
            LeafKind::Name => mongo::judge_name(inner, false, &root).or_else(|| names::judge_member(inner)),
            _ => judge(inner),
        });
        return found.or_else(|| (!all).then_some(PARTS));
    }
    let form = text.contains('=') && !text.contains(char::is_whitespace) && !text.contains("://");
    if form {
        for (name, value) in url::form_urlencoded::parse(text.trim_start_matches('?').as_bytes()) {
            let value = Leaf::new(format!("{}/{name}", leaf.pointer), value.into_owned());
            if value.text != leaf.text
                && value.text.contains(' ')
                && let Some(finding) = judge(&value)
            {
                return Some(finding);
            }
        }
    }
    let statement = from_hex(text).or_else(|| from_base64(text))?;
    matches!(start(&statement), Some(Start::Changes { fits: true, .. }))
        .then_some(Finding::Doubt("an encoded statement that changes something"))
}

/// Collects the strings and the names of members in a value. Their pointers contain only the starts of names, and their size is taken
/// from the `room`, in bytes. Returns false if the limit is exceeded.
fn strings(pointer: &str, value: serde_json::Value, leaves: &mut Vec<Leaf>, room: &mut usize) -> bool {
    const LONGEST_NAME: usize = 64;
    match value {
        serde_json::Value::String(text) => put(Leaf::new(pointer, text), leaves, room),
        serde_json::Value::Array(items) => {
            let inner = format!("{pointer}/0");
            items.into_iter().all(|item| strings(&inner, item, leaves, room))
        }
        serde_json::Value::Object(members) => members.into_iter().all(|(name, value)| {
            let inner = format!("{pointer}/{}", &name[..name.floor_char_boundary(LONGEST_NAME)]);
            put(Leaf::name(pointer, name), leaves, room) && strings(&inner, value, leaves, room)
        }),
        _ => true,
    }
}

/// Adds a part, if there is room for it.
fn put(leaf: Leaf, leaves: &mut Vec<Leaf>, room: &mut usize) -> bool {
    const MOST: usize = 5_000;
    let left = room.checked_sub(leaf.pointer.len()).filter(|_| leaves.len() < MOST);
    if let Some(left) = left {
        *room = left;
        leaves.push(leaf);
    }
    left.is_some()
}

/// Decodes a text of hexadecimal digits, or returns `None`.
fn from_hex(text: &str) -> Option<String> {
    const SHORTEST: usize = 16;
    let text = text.trim_start_matches("0x");
    if text.len() < SHORTEST || !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return None;
    }
    let bytes = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok());
    String::from_utf8(bytes.collect::<Option<_>>()?).ok()
}

/// Decodes a text in base64 of either alphabet, as lenient decoders do, or returns `None`.
fn from_base64(text: &str) -> Option<String> {
    const SHORTEST: usize = 16;
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let text = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    // One character more than whole bytes have is ignored.
    let whole = if text.len() % 4 == 1 { text.len() - 1 } else { text.len() };
    if text.len() < SHORTEST {
        return None;
    }
    let text = String::from_utf8(LENIENT.decode(text.as_bytes().get(..whole)?).ok()?).ok()?;
    Some(text).filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_in_json_are_not_repeated_in_each_pointer() {
        let value = serde_json::json!({ ("x".repeat(30 * 1024)): vec!["a"; 4_000] });
        let (mut leaves, mut room) = (Vec::new(), 4 << 20);
        assert!(strings("/payload", value, &mut leaves, &mut room));
        assert_eq!(leaves.len(), 4_001);
        let mut room = 100;
        assert!(!strings("/payload", serde_json::json!(vec!["a"; 20]), &mut leaves, &mut room));
    }

    #[test]
    fn base64_is_decoded_as_lenient_decoders_do() {
        let text = "delete from users";
        let encoded = "ZGVsZXRlIGZyb20gdXNlcnM=";
        for form in [encoded, encoded.trim_end_matches('='), "ZGVsZXRlIGZyb20gdXNlcnN="] {
            assert_eq!(from_base64(form).as_deref(), Some(text), "{form}");
        }
        assert_eq!(from_base64("c2VsZWN0IMO_IGZyb20gYmFzZQA"), None);
        assert_eq!(
            from_base64("c2VsZWN0IMO_IGZyb20gYmFz").as_deref(),
            from_base64("c2VsZWN0IMO/IGZyb20gYmFz").as_deref()
        );
        assert!(from_base64("c2VsZWN0IMO_IGZyb20gYmFz").is_some());
    }
}
