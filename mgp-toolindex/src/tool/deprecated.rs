//! Tools that are marked as deprecated: in their metadata, or in their title or description.
//!
//! A text marks its tool if the word occurs as a mark (`DEPRECATED`, `(deprecated)`, `Deprecated: ...`) or in a sentence about
//! the tool. A tool that lists deprecated packages is not marked.

use mgp_types::{json::RawObject, tool_metadata::ToolMetadata};

/// The most text that is read, in bytes.
const MAX_TEXT: usize = 16 * 1024;
/// The word, in lower case.
const WORD: &str = "deprecated";
/// Beginnings of a sentence about the tool itself.
const ITSELF: &[&str] = &["this ", "it ", "the tool ", "tool "];
/// Phrases in such a sentence that mark the tool as deprecated.
const SAID: &[&str] = &["is deprecated", "is now deprecated", "has been deprecated", "was deprecated"];

/// Returns whether a definition marks its tool as deprecated.
pub(super) fn says_deprecated(definition: &RawObject) -> bool {
    let title = definition.object("annotations").and_then(|hints| hints.text("title"));
    ToolMetadata::of_definition(definition).metadata.deprecated.is_some()
        || title.is_some_and(|title| says(&title))
        || ["title", "description"].into_iter().filter_map(|key| definition.text(key)).any(|text| says(&text))
}

fn says(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let lower = text.to_ascii_lowercase();
    let marks = lower.match_indices(WORD).any(|(at, _)| {
        let (before, after) = (lower[..at].chars().next_back(), lower[at + WORD.len()..].chars().next());
        if [before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_') {
            return false;
        }
        // ASCII letters keep their places in lower case.
        let shouted = text[at..].starts_with("DEPRECATED");
        let bracketed = matches!(before, Some('(' | '[' | '*' | '@'));
        let begins = lower[..at].trim().is_empty()
            || lower[..at].trim_end().ends_with(['.', '!', ':', '-', '\u{2014}']);
        let stops = after.is_none_or(|c| matches!(c, ':' | '.' | '!' | ',' | ';' | '-' | '\u{2014}'))
            || lower[at + WORD.len()..].trim_start().starts_with(['-', '\u{2013}', '\u{2014}']);
        shouted || bracketed || (begins && stops)
    });
    marks
        || lower.split(['.', '!', '\n', ';']).map(str::trim).any(|sentence| {
            ITSELF.iter().any(|subject| sentence.starts_with(subject))
                && SAID.iter().any(|said| sentence.contains(said))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deprecated(definition: &'static str) -> bool {
        says_deprecated(&RawObject::parse(definition).unwrap())
    }

    #[test]
    fn a_tool_that_calls_itself_deprecated_is_deprecated() {
        for definition in [
            r#"{"title":"Read File (Deprecated)"}"#,
            r#"{"description":"Read a file as text. DEPRECATED: Use read_text_file instead."}"#,
            r#"{"description":"Deprecated. Use read_text_file."}"#,
            r#"{"description":"[deprecated] Reads a file"}"#,
            r#"{"description":"Deprecated - use another one"}"#,
            r#"{"description":"Reads a file. Deprecated: use another one"}"#,
            r#"{"description":"Reads a file. This tool is deprecated and will go."}"#,
            r#"{"description":"Reads a file.\nIt has been deprecated since 2.0"}"#,
            r#"{"annotations":{"deprecated":true}}"#,
            r#"{"annotations":{"title":"DEPRECATED Read"}}"#,
            r#"{"deprecated":"use read_text_file"}"#,
            r#"{"_meta":{"dev.cloto/tool":{"deprecated":true}}}"#,
        ] {
            assert!(deprecated(definition), "{definition}");
        }
    }

    #[test]
    fn a_tool_about_deprecated_things_is_not() {
        for definition in [
            r#"{"title":"List deprecated packages","description":"Lists deprecated packages of a project."}"#,
            r#"{"description":"Says whether a package is deprecated."}"#,
            r#"{"description":"Undeprecated things, or deprecated_flag values"}"#,
            r#"{"description":"Deprecated packages are found, and what replaces them"}"#,
            r#"{"deprecated":false,"annotations":{"deprecated":null},"_meta":{"dev.cloto/tool":{"deprecated":""}}}"#,
            r#"{"deprecated":[],"annotations":"deprecated","title":7}"#,
        ] {
            assert!(!deprecated(definition), "{definition}");
        }
    }
}
