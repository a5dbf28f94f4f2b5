//! §3.2 The names of permissions.

use crate::context::RiskLevel;
use std::{fmt, str::FromStr};

spelled! {
    /// A permission that the specification names (§3.2).
    #[derive(PartialOrd, Ord)]
    pub enum StandardPermission as "permission" {
        /// Read files.
        FilesystemRead = "filesystem.read",
        /// Create, write and delete files.
        FilesystemWrite = "filesystem.write",
        /// Send requests out.
        NetworkOutbound = "network.outbound",
        /// Open a port.
        NetworkListen = "network.listen",
        /// Run shell commands.
        ShellExecute = "shell.execute",
        /// Run code.
        CodeExecution = "code_execution",
        /// Read stored knowledge.
        MemoryRead = "memory.read",
        /// Write stored knowledge.
        MemoryWrite = "memory.write",
        /// Read information about the machine.
        SystemInfo = "system.info",
        /// Use a camera.
        Camera = "camera",
        /// Notify the user.
        Notification = "notification",
    }
}

impl StandardPermission {
    /// Returns the risk of the permission (§3.2).
    #[must_use]
    pub const fn risk(self) -> RiskLevel {
        match self {
            Self::MemoryRead | Self::SystemInfo | Self::Notification => RiskLevel::Safe,
            Self::FilesystemRead | Self::NetworkOutbound | Self::MemoryWrite => RiskLevel::Moderate,
            Self::FilesystemWrite
            | Self::NetworkListen
            | Self::ShellExecute
            | Self::CodeExecution
            | Self::Camera => RiskLevel::Dangerous,
        }
    }

    /// Returns the part before the dot, if there is one.
    fn family(self) -> Option<&'static str> {
        self.as_str().split_once('.').map(|(family, _)| family)
    }
}

/// One permission: a standard one, or a custom one with a reverse-domain name.
///
/// ```
/// use mgp_types::permission::Permission;
/// let all: Vec<_> = Permission::expand("network")?.iter().map(ToString::to_string).collect();
/// assert_eq!(all, ["network.outbound", "network.listen"]);
/// assert!("com.example.custom_permission".parse::<Permission>().is_ok());
/// assert!("shell.exec".parse::<Permission>().is_err());
/// # Ok::<(), mgp_types::permission::InvalidPermission>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permission {
    /// A standard permission (§3.2).
    Standard(StandardPermission),
    /// A custom permission, with a reverse-domain name.
    Custom(Box<str>),
}

/// The error for a name that is not a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPermission(String);

impl fmt::Display for InvalidPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown permission {:?}: expected a standard permission, a family of them, or a reverse-domain name such as \
             com.example.custom",
            self.0
        )
    }
}

impl std::error::Error for InvalidPermission {}

/// The longest name of a permission, in bytes.
const MAX_LENGTH: usize = 128;

impl Permission {
    /// Returns the permissions that a name in a declaration stands for: a bare family, such as `shell`, stands for all
    /// of its members.
    ///
    /// # Errors
    /// [`InvalidPermission`], with the name.
    pub fn expand(name: &str) -> Result<Vec<Self>, InvalidPermission> {
        let members: Vec<_> = StandardPermission::ALL
            .iter()
            .filter(|permission| permission.family() == Some(name))
            .map(|permission| Self::Standard(*permission))
            .collect();
        if members.is_empty() { name.parse().map(|permission| vec![permission]) } else { Ok(members) }
    }

    /// Returns the name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Standard(permission) => permission.as_str(),
            Self::Custom(name) => name,
        }
    }

    /// Returns the risk of the permission (§3.2), or `None` for a custom one, whose risk is unknown.
    #[must_use]
    pub const fn risk(&self) -> Option<RiskLevel> {
        match self {
            Self::Standard(permission) => Some(permission.risk()),
            Self::Custom(_) => None,
        }
    }
}

/// Returns whether a name is a reverse-domain one: a domain of at least two labels, and a name within it.
///
/// The first label must not be the family or name of a standard permission: otherwise a typo (`filesystem.read.all`) would pass as a custom
/// name.
fn is_reverse_domain(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            && !label.starts_with('-')
    };
    let first = name.split('.').next().unwrap_or_default();
    let standard = |p: &StandardPermission| p.family() == Some(first) || p.as_str() == first;
    name.len() <= MAX_LENGTH
        && name.split('.').count() >= 3
        && name.split('.').all(label)
        && first.len() >= 2
        && first.bytes().all(|b| b.is_ascii_alphabetic())
        && !StandardPermission::ALL.iter().any(standard)
}

impl FromStr for Permission {
    type Err = InvalidPermission;
    fn from_str(name: &str) -> Result<Self, InvalidPermission> {
        if let Ok(standard) = name.parse() {
            return Ok(Self::Standard(standard));
        }
        if is_reverse_domain(name) {
            return Ok(Self::Custom(name.into()));
        }
        Err(InvalidPermission(name.chars().take(MAX_LENGTH).collect()))
    }
}

impl From<StandardPermission> for Permission {
    fn from(permission: StandardPermission) -> Self {
        Self::Standard(permission)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_family_includes_all_of_its_members() {
        let names = |name| -> Vec<String> {
            Permission::expand(name).unwrap().iter().map(ToString::to_string).collect()
        };
        assert_eq!(names("shell"), ["shell.execute"]);
        assert_eq!(names("filesystem"), ["filesystem.read", "filesystem.write"]);
        assert_eq!(names("camera"), ["camera"]);
        assert_eq!(names("shell.execute"), ["shell.execute"]);
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        let long = format!("com.example.{}", "x".repeat(200));
        for name in [
            "",
            "shel",
            "shell.exec",
            "com.example",
            "com..x",
            "filesystem.read.all",
            "camera.a.b",
            "a.b c.d",
            &long,
        ] {
            let error = Permission::expand(name).unwrap_err().to_string();
            assert!(error.contains("unknown permission"), "{name}");
            assert!(error.contains(name.get(..20).unwrap_or(name)), "{name}");
        }
    }

    #[test]
    fn a_bare_family_is_not_a_single_permission() {
        assert!("network".parse::<Permission>().is_err());
    }
}
