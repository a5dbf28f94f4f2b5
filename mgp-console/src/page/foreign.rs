//! Texts of servers, agents and hosts, which must not look like words of the console.

use maud::{Markup, html};
use mgp_types::printable::{on_one_line, printable};

/// The longest text in a line, in characters.
const LINE: usize = 200;
/// The longest text in a label, in characters.
const NAME: usize = 100;
/// The longest text in a block, in characters.
const BLOCK: usize = 20_000;

/// Returns a foreign text in a line: marked, cut, in its own direction, and with escapes for characters that are not seen.
pub(crate) fn foreign(text: &str) -> Markup {
    let (start, is_cut) = cut(text, LINE);
    html! { bdi .foreign title=[is_cut.then(|| printable(cut(text, 2000).0))] { (on_one_line(start)) @if is_cut { "…" } } }
}

/// Returns a foreign text in a line, which opens if it is too long for one: nobody needs a pointer to read the whole. Not for paragraphs and
/// other places that only take words.
pub(crate) fn foreign_whole(text: &str) -> Markup {
    let (_, is_cut) = cut(text, LINE);
    html! {
        @if is_cut { details .whole { summary { (foreign(text)) } (foreign_block(text)) } } @else { (foreign(text)) }
    }
}

/// Returns a foreign text for a label or a question, where it cannot be marked: cut, on one line, with escapes.
pub(crate) fn plain(text: &str) -> String {
    let (start, is_cut) = cut(text, NAME);
    on_one_line(start) + if is_cut { "…" } else { "" }
}

/// Returns a foreign text with its lines.
pub(crate) fn foreign_block(text: &str) -> Markup {
    let (start, is_cut) = cut(text, BLOCK);
    html! { pre .foreign tabindex="0" { bdi { (printable(start)) @if is_cut { "…" } } } }
}

fn cut(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_is_marked_escaped_and_cut() {
        let shown = foreign("<img src=x onerror=alert(1)>\u{202e}\u{200b}\n").into_string();
        assert!(shown.starts_with("<bdi class=\"foreign\">&lt;img"), "{shown}");
        assert!(!shown.contains(['\u{202e}', '\u{200b}', '\n']), "{shown}");
        let long = foreign(&"x".repeat(1_000_000)).into_string();
        assert!(long.len() < 3000, "{}", long.len());
        assert_eq!(plain("a\u{202e}\nb"), "a\\u{202e} b");
        assert_eq!(plain(&"x".repeat(1_000_000)).chars().count(), NAME + 1);
        assert_eq!(foreign_whole("short").into_string(), foreign("short").into_string());
        let whole = foreign_whole(&format!("{}<i>end", "x".repeat(LINE))).into_string();
        assert!(whole.starts_with("<details") && whole.contains("&lt;i&gt;end</bdi></pre>"), "{whole}");
        let block = foreign_block(&"x\n".repeat(1_000_000)).into_string();
        assert!(block.len() < 50_000, "{}", block.len());
    }
}
