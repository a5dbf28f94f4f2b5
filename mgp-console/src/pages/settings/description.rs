//! The description of a key, with links to the documents.

use super::DOCUMENTS;
use maud::{Markup, html};

/// A description: its parts, each with the document that it leads to, if there is one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Description(Vec<(String, Option<String>)>);

impl Description {
    /// Reads a text of Markdown.
    pub(super) fn of(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("](") {
            let (link, tail) = after.split_once(')').unwrap_or(("", after));
            let (plain, name) = before.rsplit_once('[').unwrap_or((before, ""));
            parts.push((plain.replace('`', ""), None));
            parts.push((
                name.replace('`', ""),
                Some(link.to_owned()).filter(|link| link.starts_with(DOCUMENTS)),
            ));
            rest = tail;
        }
        parts.push((rest.replace('`', ""), None));
        parts.retain(|(text, _)| !text.is_empty());
        Self(parts)
    }

    /// Returns whether the text has a word, which is in lower case.
    pub(super) fn has(&self, word: &str) -> bool {
        let text: String = self.0.iter().map(|(text, _)| text.as_str()).collect();
        text.to_lowercase().contains(word)
    }

    /// Shows the text with its links.
    pub(super) fn show(&self) -> Markup {
        html! {
            @for (text, link) in &self.0 {
                @match link {
                    Some(link) => a href=(link) rel="noreferrer" target="_blank" { (text) },
                    None => (text),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_descriptions_lead_to_the_documents() {
        let link = format!("{DOCUMENTS}docs/a.md#b");
        let shown = |text: &str| Description::of(text).show().into_string();
        let expected = format!("see <a href=\"{link}\" rel=\"noreferrer\" target=\"_blank\">a b</a>, and c.");
        assert_eq!(shown(&format!("see [a `b`]({link}), and [c](d).")), expected);
        assert_eq!(shown("no ]( <link"), "no  &lt;link");
        assert!(Description::of("a [Word](x)").has("a word"));
    }
}
