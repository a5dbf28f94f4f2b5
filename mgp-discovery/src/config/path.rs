//! The path of a value in a configuration file.

use std::fmt;

/// The path from the top of a file to one value, such as `servers[0].mgp.trust_level`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPath(Vec<Step>);

/// One step of a [`KeyPath`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl KeyPath {
    /// Returns the path of the whole file.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns the path of a key below this path.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.with(Step::Key(key.into()))
    }

    /// Returns the path of a list element below this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// Returns the path below this one.
    #[must_use]
    pub fn join(&self, below: &Self) -> Self {
        Self([&*self.0, &*below.0].concat())
    }

    /// Returns the last key of the path; `None` for the whole file and for an element of a list.
    #[must_use]
    pub fn last(&self) -> Option<&str> {
        match self.0.last()? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i > 0 => write!(f, ".{}", TomlKey(key))?,
                Step::Key(key) => write!(f, "{}", TomlKey(key))?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A key as TOML would write it.
struct TomlKey<'a>(&'a str);

impl fmt::Display for TomlKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !self.0.is_empty() && self.0.chars().all(bare) {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_in_toml() {
        let path = KeyPath::root().key("servers").index(1).key("env").key("A B");
        assert_eq!(path.to_string(), r#"servers[1].env."A B""#);
    }
}
