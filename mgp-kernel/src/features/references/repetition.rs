//! Content of a result that repeats the result's structured content.

use super::spool_text::compose;
use mgp_transport::long_text::PlacedText;
use mgp_types::{json::RawJson, mcp::ContentBlock};
use sha2::{Digest, Sha256};

/// Returns whether each block of a result's content is the JSON text of the result's structured content.
///
/// Texts are compared token by token, because a tree of each would need many times the memory of its text.
pub(super) fn only_repeats(content: &RawJson, structured: &RawJson, texts: &[PlacedText]) -> bool {
    let Ok(blocks) = content.decode::<Vec<ContentBlock>>() else { return false };
    let mut hash = None;
    blocks.iter().all(|block| {
        let Some(text) = block.as_text() else { return false };
        match texts.iter().find(|placed| *placed.placeholder == *text) {
            Some(placed) => {
                let hash = hash.get_or_insert_with(|| hash_of(structured, texts));
                hash.is_some_and(|hash| hash == *placed.text.sha256())
            }
            None => has_same_tokens(text, structured.as_str()),
        }
    })
}

/// Returns the SHA-256 of JSON with its long strings; `None` if one of them cannot be read.
fn hash_of(json: &RawJson, texts: &[PlacedText]) -> Option<[u8; 32]> {
    let mut hash = Sha256::new();
    let hashed = compose(json.as_str(), texts, true, &mut |part| {
        hash.update(part);
        Ok(())
    });
    hashed.ok()?;
    Some(hash.finalize().into())
}

/// Returns whether a text has the tokens of a JSON text, regardless of white space and escapes.
fn has_same_tokens(mut text: &str, mut json: &str) -> bool {
    loop {
        match (first_token(text), first_token(json)) {
            (None, None) => return true,
            (Some((one, rest)), Some((other, more))) if one == other || is_same_string(one, other) => {
                (text, json) = (rest, more);
            }
            _ => return false,
        }
    }
}

fn is_same_string(one: &str, other: &str) -> bool {
    let read = |token: &str| serde_json::from_str::<String>(token).ok();
    one.starts_with('"') && other.starts_with('"') && read(one).is_some_and(|one| read(other) == Some(one))
}

/// Returns the first token of a JSON text, and the rest; `None` at the end.
fn first_token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let is_mark = |c: char| matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"');
    let first = text.chars().next()?;
    let length = if first == '"' {
        let mut is_escaped = false;
        let end = text.bytes().skip(1).position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        end.map_or(text.len(), |end| end + 2)
    } else if is_mark(first) {
        1
    } else {
        text.find(|c: char| is_mark(c) || c.is_ascii_whitespace()).unwrap_or(text.len())
    };
    Some(text.split_at(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::references::spool_text::SpoolText;
    use mgp_store::spool::SpoolWriter;
    use std::sync::Arc;

    #[test]
    fn white_space_and_escapes_do_not_change_the_tokens_of_a_text() {
        let json = r#"{"a":[1,-2.5e3,"x]\"\\"],"é":null}"#;
        for same in [
            json,
            "{ \"a\" :\n[1, -2.5e3,\t\"x]\\\"\\\\\"] , \"é\":null }\n",
            r#"{"\u0061":[1,-2.5e3,"x\u005d\"\\"],"\u00e9":null}"#,
        ] {
            assert!(has_same_tokens(same, json), "{same}");
        }
        for other in [
            "",
            "{",
            "two rows",
            "\"",
            r#"{"a":[1,-2.5e3,"x]\"\\"],"é":nul}"#,
            r#"{"a":[1,-2.5e3,"x]\"\\"],"é":null}}"#,
            r#"{"a":[1 ,-2.5 e3,"x]\"\\"],"é":null}"#,
            r#"{"a":[1,-2.5e3,"x] \"\\"],"é":null}"#,
        ] {
            assert!(!has_same_tokens(other, json), "{other}");
        }
    }

    #[test]
    fn a_text_repeats_structured_content_with_its_long_strings() {
        let placed = |placeholder: &str, text: &str| {
            let mut writer = SpoolWriter::create(None).unwrap();
            writer.write(text.as_bytes()).unwrap();
            let text = Arc::new(SpoolText::new(writer.finish().unwrap()));
            PlacedText { placeholder: placeholder.into(), text }
        };
        let json = |text: &str| RawJson::parse(text.to_owned()).unwrap();
        let content = json(r#"[{"type":"text","text":"placed-1"}]"#);
        let structured = json(r#"{"rows":"placed-2"}"#);
        for (text, repeats) in [(r#"{"rows":"a\nb"}"#, true), (r#"{"rows":"a\nc"}"#, false)] {
            let texts = [placed("placed-1", text), placed("placed-2", "a\nb")];
            assert_eq!(only_repeats(&content, &structured, &texts), repeats, "{text}");
        }
    }
}
