//! The entries of a listing that are left out, named in one warning.

use std::fmt::{self, Display};

/// The entries that are named; the others are counted.
const NAMED: usize = 10;

/// The characters of a name that are shown, and those of a reason.
const NAME: usize = 80;
const REASON: usize = 120;

/// The entries of a listing that are left out, with the reason for each, as the text of one warning: short and on one line, whatever
/// the server wrote.
#[derive(Debug)]
pub(crate) struct LeftOutEntries {
    noun: &'static str,
    named: Vec<String>,
    count: usize,
}

impl LeftOutEntries {
    /// Makes an empty collection of entries that are called by a noun, such as `tool`.
    pub(crate) const fn of(noun: &'static str) -> Self {
        Self { noun, named: Vec::new(), count: 0 }
    }

    /// Adds an entry by its name, or by its place in the list, from 0, where it has no name that can be read.
    pub(crate) fn add(&mut self, name: Option<&str>, place: usize, reason: &impl Display) {
        self.count += 1;
        if self.named.len() < NAMED {
            let name = match name {
                Some(name) => format!("\"{}\"", shown(name, NAME)),
                None => format!("{} {} of the list", self.noun, place + 1),
            };
            self.named.push(format!("{name} ({})", shown(&reason.to_string(), REASON)));
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the noun that the entries are called by.
    pub(crate) const fn noun(&self) -> &'static str {
        self.noun
    }
}

impl Display for LeftOutEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named.join(", "))?;
        match self.count - self.named.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Returns the first characters of a text, escaped, so that they stand on one line.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(limit).flat_map(char::escape_debug).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_reasons_are_escaped_and_cut() {
        let mut left_out = LeftOutEntries::of("tool");
        left_out.add(Some("a\n\u{1b}\"b"), 0, &"no");
        left_out.add(None, 6, &"x".repeat(1000));
        assert_eq!(
            left_out.to_string(),
            format!(r#""a\n\u{{1b}}\"b" (no), tool 7 of the list ({}…)"#, "x".repeat(REASON))
        );
        for place in 0..20 {
            left_out.add(Some("c"), place, &"no");
        }
        assert!(left_out.to_string().ends_with(r#""c" (no) and 12 more"#), "{left_out}");
        assert_eq!(left_out.count(), 22);
    }
}
