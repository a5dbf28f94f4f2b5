//! The text of a tool that is embedded.

use crate::{tool::IndexedTool, words::split_names};

/// The longest passage, in bytes. Models read a few hundred words.
const MAX_PASSAGE: usize = 4 * 1024;

/// Returns the text that represents a tool: server and name as words, its description, its parameters.
///
/// The form was chosen by measurement: with a colon after the name, all-MiniLM-L6-v2 finds more than with any other sign.
#[must_use]
pub fn passage(tool: &IndexedTool) -> String {
    let text = tool.text();
    let (server, name) = (plain(&tool.id().server_id), plain(&text.name));
    let mut out = String::with_capacity(256);
    // A tool's name often begins with that of its server.
    if !name.to_lowercase().starts_with(&server.to_lowercase()) {
        out.push_str(&server);
        out.push(' ');
    }
    out.push_str(&name);
    let title = plain(&text.title);
    if !title.is_empty() && !title.eq_ignore_ascii_case(&name) {
        out.push_str(", ");
        out.push_str(&title);
    }
    out.push_str(": ");
    out.push_str(&text.description);
    for more in [&plain(&text.parameters), &text.parameter_descriptions, &text.keywords] {
        if !more.is_empty() && out.len() < MAX_PASSAGE {
            out.push(' ');
            out.push_str(&more.replace('\n', " "));
        }
    }
    let end = (0..=MAX_PASSAGE.min(out.len())).rev().find(|end| out.is_char_boundary(*end)).unwrap_or(0);
    out.truncate(end);
    out
}

/// Returns a name as words.
fn plain(name: &str) -> String {
    let spaced = split_names(name).replace(['_', '-', '.', '/'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{context::RiskLevel, json::RawJson};

    #[test]
    fn a_passage_has_the_name_as_words_and_all_descriptions() {
        let definition = r#"{"name":"readTextFile","title":"Read text file","description":"Returns it.",
            "inputSchema":{"properties":{"file_path":{"description":"where"}}}}"#;
        let of = |server: &str, definition: &str| {
            let json = RawJson::parse(definition.to_owned()).unwrap();
            passage(&IndexedTool::new(server, &json, RiskLevel::Safe).unwrap())
        };
        assert_eq!(of("local-files", definition), "local files read Text File: Returns it. file path where");
        assert_eq!(of("read", definition), "read Text File: Returns it. file path where");
        let long = format!(r#"{{"name":"a","description":"{}"}}"#, "é".repeat(4000));
        assert!(of("s", &long).len() <= MAX_PASSAGE);
    }
}
