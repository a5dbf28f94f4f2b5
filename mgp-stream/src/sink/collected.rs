//! The content streamed so far, within a bound.

use mgp_types::json::{RawJson, RawObject};

/// The most content of one request that is kept, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The cost of keeping one chunk without its text, in bytes.
const OVERHEAD: usize = 64;

/// The content of chunks, as it came: texts are joined only on request.
#[derive(Debug, Default)]
pub(super) struct CollectedContent {
    chunks: Vec<RawJson>,
    /// The chunks before which others are missing, by their places.
    after_gaps: Vec<usize>,
    bytes: usize,
    truncated: bool,
}

impl CollectedContent {
    /// Keeps a chunk's content, unless there is no room for it. After the first chunk without room, no other is kept: a
    /// text with a hole is worse than one that ends early.
    pub(super) fn push(&mut self, content: RawJson) {
        let bytes = content.as_bytes().len() + OVERHEAD;
        if self.truncated || self.bytes + bytes > MAX_BYTES {
            self.truncated = true;
            return;
        }
        self.bytes += bytes;
        self.chunks.push(content);
    }

    /// Notes that chunks are missing before the next one: texts are not joined across them.
    pub(super) fn note_gap(&mut self) {
        if self.after_gaps.last() != Some(&self.chunks.len()) {
            self.after_gaps.push(self.chunks.len());
        }
    }

    /// Returns whether any content was not kept.
    pub(super) const fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the content, with consecutive texts joined.
    pub(super) fn content(&self) -> Vec<RawJson> {
        let mut content = Vec::new();
        let mut text = String::new();
        let mut after_gaps = self.after_gaps.iter().peekable();
        for (at, chunk) in self.chunks.iter().enumerate() {
            if after_gaps.next_if_eq(&&at).is_some() {
                end_text(&mut content, &mut text);
            }
            match plain_text(chunk) {
                Some(delta) => text.push_str(&delta),
                None => {
                    end_text(&mut content, &mut text);
                    content.push(chunk.clone());
                }
            }
        }
        end_text(&mut content, &mut text);
        content
    }
}

/// Returns the text of a block that has no other members than its type and text.
fn plain_text(content: &RawJson) -> Option<String> {
    let block = RawObject::from_json(content).ok()?;
    let plain = block.len() == 2 && block.text("type")? == "text";
    plain.then(|| block.text("text")).flatten()
}

fn end_text(content: &mut Vec<RawJson>, text: &mut String) {
    if !text.is_empty() {
        content.push(text_block(text));
        text.clear();
    }
}

/// Creates a block of text.
pub(super) fn text_block(text: &str) -> RawJson {
    [("type", RawJson::string("text")), ("text", RawJson::string(text))]
        .into_iter()
        .collect::<RawObject>()
        .to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(chunks: &[&'static str]) -> Vec<String> {
        let mut collected = CollectedContent::default();
        for chunk in chunks {
            collected.push(RawJson::parse(*chunk).unwrap());
        }
        collected.content().iter().map(|block| block.as_str().to_owned()).collect()
    }

    #[test]
    fn adjacent_texts_are_joined_and_other_blocks_stay() {
        let image = r#"{"type":"image","data":"AA==","x":1e500}"#;
        let noted = r#"{"type":"text","text":"c","annotations":{"priority":1}}"#;
        let [a, b] = [r#"{"type":"text","text":"a\n"}"#, r#"{"text":"é","type":"text"}"#];
        let found = joined(&[a, b, image, a, noted, b]);
        let joined_text = r#"{"type":"text","text":"a\né"}"#;
        let e = r#"{"type":"text","text":"é"}"#;
        assert_eq!(found, [joined_text, image, a, noted, e]);
    }

    #[test]
    fn content_that_is_not_a_block_is_kept_unchanged() {
        assert_eq!(joined(&["7", r#"{"type":"text","text":5}"#]), ["7", r#"{"type":"text","text":5}"#]);
    }

    #[test]
    fn texts_are_not_joined_across_missing_chunks() {
        let mut collected = CollectedContent::default();
        for (text, is_after_gap) in [("a", true), ("b", false), ("c", true), ("d", false)] {
            if is_after_gap {
                collected.note_gap();
                collected.note_gap();
            }
            collected.push(text_block(text));
        }
        collected.note_gap();
        assert_eq!(collected.content(), [text_block("ab"), text_block("cd")]);
    }

    #[test]
    fn kept_content_is_bounded_and_has_no_gap() {
        let mut collected = CollectedContent::default();
        let large = text_block(&"x".repeat(MAX_BYTES / 2));
        collected.push(large.clone());
        collected.push(large);
        assert!(collected.is_truncated());
        collected.push(text_block("small"));
        assert_eq!(collected.chunks.len(), 1);
    }
}
