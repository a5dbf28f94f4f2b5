//! The few checks that all the others are made of.

use crate::config::{error::Finding, path::KeyPath};
use std::{fmt::Display, ops::RangeInclusive};

/// The most entries that any list or table may have.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// The longest string, in bytes.
pub(super) const MAX_TEXT: usize = 32 * 1024;
/// The longest name of an agent, a tool or a key, in bytes.
pub(super) const MAX_NAME: usize = 256;

/// Collects what is wrong.
pub(super) struct Checks<'a>(pub(super) &'a mut Vec<Finding>);

impl Checks<'_> {
    pub(super) fn say(&mut self, path: KeyPath, message: impl Into<String>) {
        self.0.push(Finding::new(path, message));
    }

    pub(super) fn advise(&mut self, path: KeyPath, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(Finding::new(path, message).help(help));
    }

    /// A number with bounds; `unit` is a word such as "milliseconds" or "".
    pub(super) fn range<T: PartialOrd + Display + Copy>(
        &mut self,
        path: KeyPath,
        value: T,
        bounds: RangeInclusive<T>,
    ) {
        if !bounds.contains(&value) {
            self.say(
                path,
                format!("{value} is out of bounds: expected {} to {}", bounds.start(), bounds.end()),
            );
        }
    }

    pub(super) fn count(&mut self, path: KeyPath, count: usize) {
        if count > MAX_ENTRIES {
            self.say(path, format!("{count} entries: expected at most {MAX_ENTRIES}"));
        }
    }

    /// A name: neither empty nor long, without control characters and spaces around it.
    pub(super) fn name(&mut self, path: KeyPath, name: &str) {
        if name.is_empty() {
            self.say(path, "empty: expected a name");
        } else if name.len() > MAX_NAME {
            self.say(path, format!("a name of {} bytes: expected at most {MAX_NAME}", name.len()));
        } else if name.chars().any(char::is_control) || name.trim() != name {
            self.say(
                path,
                format!("{name:?} is no name: expected no control characters and no spaces around it"),
            );
        }
    }

    /// A text whose value is not shown, because it may be a secret.
    pub(super) fn text(&mut self, path: KeyPath, text: &str) {
        if text.len() > MAX_TEXT {
            self.say(path, format!("a text of {} bytes: expected at most {MAX_TEXT}", text.len()));
        } else if text.contains('\0') {
            self.say(path, "holds a NUL character: expected none");
        }
    }

    /// A list whose entries must differ. `what` names an entry.
    pub(super) fn distinct<'v>(&mut self, path: &KeyPath, what: &str, values: impl Iterator<Item = &'v str>) {
        let mut seen = std::collections::HashMap::new();
        for (i, value) in values.enumerate() {
            if let Some(first) = seen.insert(value, i) {
                seen.insert(value, first);
                let message = format!("{what} {value:?} is also entry {first}: expected each once");
                self.say(path.index(i), message);
            }
        }
    }
}
