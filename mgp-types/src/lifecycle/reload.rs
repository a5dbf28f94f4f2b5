//! The reload of a running kernel's configuration. No part of the specification.

use crate::rpc::Empty;
use serde::{Deserialize, Serialize};
use std::fmt;

calls! {
    /// Makes a kernel reload its configuration. For principals with the admin role.
    call ReloadConfiguration = "dev.cloto/kernel/reload": Empty => ConfigurationChange;
}

/// The difference that a reload of a configuration made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConfigurationChange {
    /// The servers that were added.
    #[serde(default)]
    pub added: Vec<String>,
    /// The servers that were removed; each is stopped once its calls have ended.
    #[serde(default)]
    pub removed: Vec<String>,
    /// The servers that are restarted with other settings, once their calls have ended.
    #[serde(default)]
    pub restarted: Vec<String>,
    /// The other keys that have changed and are in force.
    #[serde(default)]
    pub applied: Vec<String>,
    /// The keys that differ from those that the kernel started with, and are in force after a restart of the program.
    #[serde(default)]
    pub needs_restart: Vec<String>,
}

impl ConfigurationChange {
    /// Returns whether nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for ConfigurationChange {
    /// Writes one line for each kind of change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [
            ("servers added", &self.added),
            ("servers removed", &self.removed),
            ("servers restarted", &self.restarted),
            ("in force at once", &self.applied),
            ("needs a restart of mgp", &self.needs_restart),
        ];
        let mut lines = lines.iter().filter(|(_, names)| !names.is_empty()).peekable();
        if lines.peek().is_none() {
            return f.write_str("nothing has changed");
        }
        while let Some((what, names)) = lines.next() {
            write!(f, "{what}: {}", names.join(", "))?;
            if lines.peek().is_some() {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_change_has_a_line() {
        let mut change = ConfigurationChange::default();
        assert_eq!(change.to_string(), "nothing has changed");
        change.added = vec!["a".into(), "b".into()];
        change.needs_restart = vec!["http.listen".into()];
        assert_eq!(change.to_string(), "servers added: a, b\nneeds a restart of mgp: http.listen");
    }
}
