//! The omitted entries of a listing, named in one warning.

use std::fmt::{self, Display};

/// The maximum number of named entries; the others are counted.
const NAMED: usize = 10;

/// The maximum length of a shown name, and of a reason, in characters.
const NAME: usize = 80;
const REASON: usize = 120;

/// The omitted entries of a listing, with the reason for each, as the text of one warning. It is short and on one line, whatever the
/// server wrote.
#[derive(Debug)]
pub struct LeftOutEntries {
    noun: &'static str,
    named: Vec<String>,
    count: usize,
}

impl LeftOutEntries {
    /// Creates an empty collection of entries that are called by a noun, such as `tool`.
    pub const fn of(noun: &'static str) -> Self {
        Self { noun, named: Vec::new(), count: 0 }
    }

    /// Adds an entry by its name, or by its index in the list if it has no readable name.
    pub fn add(&mut self, name: Option<&str>, place: usize, reason: &impl Display) {
        self.count += 1;
        if self.named.len() < NAMED {
            let name = match name {
                Some(name) => format!("\"{}\"", shown(name, NAME)),
                None => format!("{} {} of the list", self.noun, place + 1),
            };
            self.named.push(format!("{name} ({})", shown(&reason.to_string(), REASON)));
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the noun for the entries.
    pub const fn noun(&self) -> &'static str {
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

/// Returns the first characters of a text, escaped, so that they fit on one line.
pub fn shown(text: &str, limit: usize) -> String {
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
    fn names_and_reasons_are_escaped_and_truncated() {
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
