//! Sentences of the console with commands in them.

use maud::{Markup, html};

/// Returns a text of the console, in which the parts between backticks are shown as code.
pub(crate) fn sentence(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_between_backticks_is_code() {
        assert_eq!(sentence("see `mgp <x>`.").into_string(), "see <code>mgp &lt;x&gt;</code>.");
        assert_eq!(sentence("plain").into_string(), "plain");
    }
}
