//! Texts that match a regular expression.

use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// The deepest nesting of an expression that is read.
const MAX_NESTING: u32 = 64;

/// The longest text, in characters.
const MAX_CHARS: usize = 4096;

/// Returns a text of a length that matches an expression: one of the texts that are proposed, or a new one.
pub(super) fn matching(
    pattern: &str,
    proposed: impl Iterator<Item = String>,
    least: u64,
    most: u64,
) -> Option<String> {
    let matcher = compiled(pattern)?;
    for text in proposed {
        if matcher.is_match(&text) {
            return Some(text);
        }
    }
    let tree = ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).ok()?;
    // Repetitions without an upper bound are as long as the text has to be.
    (0..=MAX_EXTRA).map(|power| if power == 0 { 0 } else { 1 << (power - 1) }).find_map(|extra| {
        let mut text = String::new();
        write(&tree, extra, &mut text)?;
        let fits = (least..=most).contains(&(text.chars().count() as u64));
        (fits && matcher.is_match(&text)).then_some(text)
    })
}

/// Returns whether a text matches an expression. None does if the expression cannot be read.
pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    compiled(pattern).is_some_and(|matcher| matcher.is_match(text))
}

/// The greatest power of two by which repetitions grow.
const MAX_EXTRA: u32 = 12;

/// Compiles an expression as checks of values do.
fn compiled(pattern: &str) -> Option<regex::Regex> {
    let bytes = crate::json_schema::limits::PATTERN_BYTES;
    regex::RegexBuilder::new(pattern).size_limit(bytes).dfa_size_limit(bytes).build().ok()
}

/// Writes a text that an expression describes. Anchors are taken as they come, because the text is matched afterwards.
fn write(tree: &Hir, extra: u32, out: &mut String) -> Option<()> {
    if out.len() > MAX_CHARS * 4 {
        return None;
    }
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(char_of(class)?),
        HirKind::Repetition(repetition) => {
            let times = repetition.min.saturating_add(extra).min(repetition.max.unwrap_or(u32::MAX));
            for _ in 0..times {
                write(&repetition.sub, 0, out)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, extra, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, extra, out)?;
            }
        }
        HirKind::Alternation(branches) => write(branches.first()?, extra, out)?,
    }
    Some(())
}

/// Returns a character of a class: one that is easily read, if there is one.
fn char_of(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let preferred = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(' '..='~');
    let is_in = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    preferred.into_iter().find(is_in).or_else(|| ranges.first().map(|range| range.0))
}
