//! Texts that match a regular expression.

use super::budget::Budget;
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// The deepest nesting of an expression that is read.
const MAX_NESTING: u32 = 64;

/// The longest text, in characters.
const MAX_CHARS: usize = 4096;

/// Returns a text of a length that matches an expression: one of the candidates, or a new one.
pub(super) fn matching(
    budget: &mut Budget,
    pattern: &str,
    proposed: impl Iterator<Item = String>,
    least: u64,
    most: u64,
) -> Option<String> {
    budget.compile(pattern)?;
    for text in proposed {
        if budget.is_match(pattern, &text) {
            return Some(text);
        }
    }
    budget.take(pattern.len())?;
    let tree = ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).ok()?;
    // Unbounded repetitions are as long as the text has to be.
    (0..=MAX_EXTRA).map(|power| if power == 0 { 0 } else { 1 << (power - 1) }).find_map(|extra| {
        let mut text = String::new();
        budget.take(pattern.len())?;
        write(&tree, extra, &mut text)?;
        budget.take(text.len())?;
        let fits = (least..=most).contains(&(text.chars().count() as u64));
        (fits && budget.is_match(pattern, &text)).then_some(text)
    })
}

/// The greatest power of two by which repetitions grow.
const MAX_EXTRA: u32 = 12;

/// Writes a text that an expression describes. Anchors are ignored, because the text is matched afterwards.
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
            if times > 0 {
                // Each repetition has the same text, which is generated once.
                let start = out.len();
                write(&repetition.sub, 0, out)?;
                let once = out[start..].to_owned();
                let more = usize::try_from(times - 1).ok()?;
                if once.len().checked_mul(more)? > MAX_CHARS * 4 {
                    return None;
                }
                out.push_str(&once.repeat(more));
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

/// Returns a character of a class, preferably a readable one.
fn char_of(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    // A character of the first group that the class intersects.
    let groups = [('a', 'z'), ('A', 'Z'), ('0', '9'), (' ', '~')];
    let least_in = |(from, to): (char, char)| {
        ranges
            .iter()
            .filter(|(start, end)| *start <= to && *end >= from)
            .map(|(start, _)| from.max(*start))
            .min()
    };
    groups.into_iter().find_map(least_in).or_else(|| ranges.first().map(|range| range.0))
}
