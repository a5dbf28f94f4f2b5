//! Removes syntax of Rust's documentation from descriptions.

use schemars::{
    Schema,
    transform::{Transform, transform_subschemas},
};
use serde_json::Value;

/// A transform that removes Rust examples and links to Rust items from all descriptions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prose;

impl Transform for Prose {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = without_links(&without_examples(description));
        }
        transform_subschemas(self, schema);
    }
}

/// Returns the text without its fenced blocks.
fn without_examples(text: &str) -> String {
    let blocks = text.split("```").step_by(2);
    blocks.map(str::trim).filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the text with each link replaced by its name.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        let Some((name, after)) = link.split_once("`]") else {
            plain.push_str("[`");
            rest = link;
            continue;
        };
        plain.extend(["`", name, "`"]);
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_links_keep_their_words() {
        let text =
            "The answer to [`A`](super::A), as of [`B`].\n\n```\nlet a = [`x`];\n```\n\nMore (of it) [1].";
        assert_eq!(
            without_links(&without_examples(text)),
            "The answer to `A`, as of `B`.\n\nMore (of it) [1]."
        );
    }

    #[test]
    fn a_bracket_outside_a_link_stays() {
        assert_eq!(without_links("as `[`[` or [x](y)"), "as `[`[` or [x](y)");
    }
}
