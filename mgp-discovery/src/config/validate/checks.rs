//! The basic checks that the others are built from.

use crate::config::{Text, error::Finding, habits, path::KeyPath};
use std::{fmt::Display, ops::RangeInclusive};

/// The most entries that any list or table may have.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// The longest string, in bytes.
pub(super) const MAX_TEXT: usize = 32 * 1024;
/// The longest name of an agent, a tool or a key, in bytes.
pub(super) const MAX_NAME: usize = 256;

/// The problems that are collected.
pub(super) struct Checks<'a> {
    pub(super) findings: &'a mut Vec<Finding>,
    /// True if numbers have no upper bounds. Those find mistakes in a file; a program may have a reason to pass them.
    pub(super) of_program: bool,
}

impl Checks<'_> {
    pub(super) fn say(&mut self, path: KeyPath, message: impl Into<String>) {
        self.findings.push(Finding::new(path, message));
    }

    /// Reports a key that must not be present, regardless of its value.
    pub(super) fn say_of_key(&mut self, path: KeyPath, message: impl Into<String>) {
        self.findings.push(Finding::of_key(path, message));
    }

    pub(super) fn advise(&mut self, path: KeyPath, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::new(path, message).help(help));
    }

    /// Checks that a number is within bounds.
    pub(super) fn range<T: PartialOrd + Display + Copy>(
        &mut self,
        path: KeyPath,
        value: T,
        bounds: RangeInclusive<T>,
    ) {
        let is_allowed = bounds.contains(&value) || self.of_program && value > *bounds.end();
        if !is_allowed {
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

    /// Checks that a name is neither empty nor too long, and has no control characters or surrounding spaces.
    pub(super) fn name(&mut self, path: KeyPath, name: &str) {
        if name.is_empty() {
            self.say(path, "empty: expected a name");
        } else if name.len() > MAX_NAME {
            self.say(path, format!("a name of {} bytes: expected at most {MAX_NAME}", name.len()));
        } else if name.chars().any(char::is_control) || name.trim() != name {
            self.say(
                path,
                format!("{name:?} is not a name: expected no control characters and no spaces around it"),
            );
        }
    }

    /// Checks a text without showing its value, which may be a secret.
    pub(super) fn text(&mut self, path: KeyPath, text: &str) {
        if text.len() > MAX_TEXT {
            self.say(path, format!("a text of {} bytes: expected at most {MAX_TEXT}", text.len()));
        } else if text.contains('\0') {
            self.say(path, "holds a NUL character: expected none");
        } else if habits::has_lost_backslashes(text) {
            self.advise(path, "holds control characters where a path has backslashes", habits::BACKSLASH);
        }
    }

    /// Checks the path of a file, a folder or a program, without showing its value.
    pub(super) fn path(&mut self, path: KeyPath, text: &Text) {
        if habits::below_home(text.value()).is_some() {
            let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
            let help = match habits::below_home(text.written()) {
                Some(rest) => format!("write \"${{{home}}}{}\"", rest.escape_default()),
                None => "name the whole path".to_owned(),
            };
            self.advise(path.clone(), "begins with ~, which only a shell replaces", help);
        }
        if text.value().chars().any(|c| c.is_control() && c != '\0') {
            self.advise(path, "holds control characters: expected a path", habits::BACKSLASH);
        } else {
            self.text(path, text.value());
        }
    }

    /// Checks that the entries of a list differ. `what` is the word for an entry.
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
