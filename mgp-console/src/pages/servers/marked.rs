//! Two texts side by side, with the part marked in which they differ.

use maud::{Markup, html};
use mgp_types::printable::printable;

/// The characters around the difference that are shown.
const AROUND: usize = 200;
/// The most characters of the difference that are shown.
const MOST: usize = 4000;

/// Returns both texts. Of long texts, the surroundings of the difference are shown.
pub(super) fn side_by_side(old: Option<&str>, new: Option<&str>) -> [Markup; 2] {
    let [first, second] = [old, new].map(|text| text.unwrap_or_default().chars().collect::<Vec<_>>());
    let start = first.iter().zip(&second).take_while(|(first, second)| first == second).count();
    let ends = first[start..].iter().rev().zip(second[start..].iter().rev());
    let end = ends.take_while(|(first, second)| first == second).count();
    // Whole words are marked.
    let start = start - first[..start].iter().rev().take_while(|c| c.is_alphanumeric()).count();
    let end = end - first[first.len() - end..].iter().take_while(|c| c.is_alphanumeric()).count();
    let side = |text: Option<&str>, chars: &[char]| match text {
        None => html! { span .quiet { "–" } },
        Some(_) => marked(chars, start, chars.len() - end),
    };
    [side(old, &first), side(new, &second)]
}

/// Returns a text with a marked part.
fn marked(text: &[char], start: usize, end: usize) -> Markup {
    let from = start.saturating_sub(AROUND);
    let to = (end + AROUND).min(text.len());
    let middle = &text[start..end];
    let shown = |chars: &[char]| printable(&chars.iter().collect::<String>()).into_owned();
    html! {
        pre .foreign tabindex="0" { bdi {
            @if from > 0 { "…" } (shown(&text[from..start]))
            @if !middle.is_empty() { mark { (shown(&middle[..middle.len().min(MOST)])) @if middle.len() > MOST { "…" } } }
            (shown(&text[end..to])) @if to < text.len() { "…" }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_differs_is_marked_on_both_sides() {
        let [old, new] = side_by_side(Some("reads a file"), Some("reads and <sends> a file"));
        assert!(old.into_string().contains("reads <mark>a</mark> file"));
        assert!(new.into_string().contains("reads <mark>and &lt;sends&gt; a</mark> file"));
        let [old, new] = side_by_side(Some("true"), Some("false"));
        assert!(
            old.into_string().contains("<mark>true</mark>")
                && new.into_string().contains("<mark>false</mark>")
        );
        let [old, new] = side_by_side(None, Some("\u{202e}x"));
        assert!(old.into_string().contains('–') && new.into_string().contains("<mark>\\u{202e}x</mark>"));
    }

    #[test]
    fn long_texts_are_cut_around_their_difference() {
        let (old, new) = (format!("{}old", "a ".repeat(100_000)), format!("{}new", "a ".repeat(100_000)));
        let [old, new] = side_by_side(Some(&old), Some(&new)).map(Markup::into_string);
        assert!(old.contains("<mark>old</mark>") && new.contains("<mark>new</mark>"));
        assert!(old.len() < 1000, "{}", old.len());
        let long = side_by_side(None, Some(&"x".repeat(1_000_000))).map(Markup::into_string);
        assert!(long[1].len() < 10_000, "{}", long[1].len());
    }
}
