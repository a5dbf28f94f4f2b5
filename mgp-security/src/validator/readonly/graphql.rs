//! GraphQL: only queries read.

use super::{finding::Finding, kinds, tokens::is_invisible};
use crate::validator::Leaf;

const MUTATION: Finding = Finding::Harm("a GraphQL operation that is not a query");
const PERHAPS: Finding = Finding::Doubt("a possible GraphQL operation that is not a query");

/// Operations that do more than read.
const OPERATIONS: [&str; 2] = ["mutation", "subscription"];

/// Judges a string that may be a document, or name an operation.
pub(super) fn judge(leaf: &Leaf) -> Option<Finding> {
    let text = leaf.text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    let lower = text.to_ascii_lowercase();
    let named = OPERATIONS.iter().any(|operation| {
        lower.strip_prefix(operation).is_some_and(|rest| {
            rest.is_empty() && kinds::is_operation(leaf)
                || rest.is_empty()
                    && leaf.key().to_ascii_lowercase().ends_with("type")
                    && !leaf.key().contains("type_name")
                || rest.starts_with([':', '.', '/'])
        })
    });
    let key = leaf.key().to_ascii_lowercase();
    let holds = OPERATIONS.iter().any(|operation| key.contains(operation));
    let saved = text.ends_with("Mutation")
        && text.len() > 8
        && text.chars().all(char::is_alphanumeric)
        && (key.ends_with("id") || key.contains("operation") || key.contains("document"));
    if leaf.pointer.contains("/variables/") {
        // A value, not a document.
        return None;
    }
    if named || saved || holds && (text.contains(['{', '(']) || super::names::changes(text)) {
        return Some(PERHAPS);
    }
    document(text)
}

/// Judges a text that may be a document, by the words outside braces, parentheses and strings.
fn document(text: &str) -> Option<Finding> {
    if !text.contains('{') {
        return None;
    }
    let (mut depth, mut rest) = (0usize, text);
    // True where an operation may begin.
    let mut begins = true;
    let mut found = None;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '"' => {
                let (open, block) = if rest.starts_with("\"\"\"") { (3, true) } else { (1, false) };
                string_end(&rest[open..], block).map_or(rest.len(), |end| open + end)
            }
            '{' | '(' | '[' => {
                depth += 1;
                1
            }
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                begins |= depth == 0 && first == '}';
                1
            }
            c if c.is_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let word = &rest[..end];
                let operation = OPERATIONS.iter().any(|operation| word.eq_ignore_ascii_case(operation));
                if depth == 0 && begins && operation && found != Some(MUTATION) {
                    found = opens(&rest[end..]).or(found);
                }
                if depth == 0 {
                    begins = false;
                }
                end
            }
            c => c.len_utf8(),
        };
        rest = &rest[length..];
    }
    if depth > 0 && OPERATIONS.iter().any(|operation| text.contains(operation)) {
        return found.or(Some(PERHAPS));
    }
    found
}

/// Returns the position after the end of a string.
fn string_end(text: &str, block: bool) -> Option<usize> {
    if block {
        return text.find("\"\"\"").map(|end| end + 3);
    }
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            '\n' | '\r' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the finding if a definition follows the word for an operation: a name, variables, directives, and a selection. The finding
/// is a doubt if no selection is near.
fn opens(text: &str) -> Option<Finding> {
    const NEAR: usize = 4_000;
    let near: String = text.chars().take(NEAR).collect();
    let Some(brace) = near.find('{') else {
        return (near.len() < text.len()).then_some(PERHAPS);
    };
    let head = near[..brace].trim();
    let name = head.split(['(', '@', '#']).next().unwrap_or_default().trim();
    let defines = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ','))
        || head.contains('#')
        || name.contains(|c: char| is_invisible(c));
    defines.then_some(MUTATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operations_outside_braces_and_strings_count() {
        for (text, finds) in [
            ("mutation { purge }", true),
            ("query Q { me { id } } mutation M { purge }", true),
            ("{ me { id } }\n#\rmutation { purge }", true),
            ("subscription OnEvent($id: ID!) { events(id: $id) { id } }", true),
            ("query { mutation: auditLog(action: \"mutation\") { id } }", false),
            ("query { note(text: \"mutation { purge }\") { id } }", false),
            ("mutation testing tools for {rust}", false),
        ] {
            assert_eq!(judge(&Leaf::new("/query", text)).is_some(), finds, "{text}");
        }
    }

    #[test]
    fn a_member_may_name_the_operation() {
        assert!(judge(&Leaf::new("/operation", "mutation")).is_some());
        assert!(judge(&Leaf::new("/mutation", "c.68_69del")).is_none());
        assert!(judge(&Leaf::new("/term", "mutation")).is_none());
    }
}
