//! Finds the JSON blocks of a Markdown text, with their context.

/// A fenced block of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its opening fence.
    pub(super) line: usize,
    /// The number of its section, such as `3.6`.
    pub(super) section: String,
    /// The method that the text names between the previous block and this one.
    pub(super) named: Option<String>,
    /// The text between the fences.
    pub(super) text: String,
}

/// The parts of a specification that are checked.
#[derive(Debug, Default)]
pub(super) struct Specification {
    pub(super) blocks: Vec<Block>,
    /// Every method that the text names, with its line.
    pub(super) named: Vec<(usize, String)>,
}

/// Returns the language of the opening fence on a line, if the line is one.
fn fence(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("```").map(str::trim)
}

/// Returns the number of a heading, such as `3.6` in `### 3.6 Title`.
fn section(line: &str) -> Option<&str> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
    let number = title.split(' ').next()?.trim_end_matches('.');
    let numeric = number.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    numeric.then_some(number)
}

/// Returns the method that a line names: `**Method:** `x`` or a heading that is one.
fn method(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("**Method:**") {
        return rest.split('`').nth(1);
    }
    let title = line.strip_prefix("####")?.trim_start_matches('#').trim();
    (title.contains('/') && !title.contains(' ')).then_some(title)
}

/// Reads a Markdown text. An unclosed block runs to the end of the text.
pub(super) fn read(markdown: &str) -> Specification {
    let mut found = Specification::default();
    let (mut current, mut named) = (String::new(), None);
    let mut lines = markdown.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = fence(line) {
            let inside: Vec<_> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| fence(line).is_none()).collect();
            if language == "json" {
                found.blocks.push(Block {
                    line: at + 1,
                    section: current.clone(),
                    named: named.take(),
                    text: inside.join("\n"),
                });
            }
        } else if let Some(number) = section(line) {
            current = number.to_owned();
        } else if let Some(method) = method(line) {
            named = Some(method.to_owned());
            found.named.push((at + 1, method.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_its_line_section_and_last_named_method() {
        let text = "## 3. A\n\n### 3.6 B\n\n**Method:** `mgp/x`\n\n```json\n{\n}\n```\n```json\n1\n```\n";
        let found = read(text);
        assert_eq!(found.named, [(5, "mgp/x".to_owned())]);
        assert_eq!(
            found.blocks,
            [
                Block { line: 7, section: "3.6".into(), named: Some("mgp/x".into()), text: "{\n}".into() },
                Block { line: 11, section: "3.6".into(), named: None, text: "1".into() },
            ]
        );
    }

    #[test]
    fn other_fences_are_skipped_with_their_contents() {
        let found = read("```\n## 9. no\n```json\n## 1. A\n#### mgp/a\n#### What it is\n```json\n{}\n```\n");
        assert_eq!(found.blocks.len(), 1);
        assert_eq!(
            (found.blocks[0].section.as_str(), found.blocks[0].named.as_deref()),
            ("1", Some("mgp/a"))
        );
    }
}
