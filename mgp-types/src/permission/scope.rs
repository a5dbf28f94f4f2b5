//! §3.6 The limits of an approval.

use super::{Permission, StandardPermission};
use crate::context::HostRule;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The limits of an approval (§3.6): the approval holds only for these.
///
/// ```
/// use mgp_types::permission::{GrantScope, StandardPermission};
///
/// let scope: GrantScope = serde_json::from_str(r#"{"paths": ["/srv/notes"]}"#)?;
/// assert_eq!(scope.check(&StandardPermission::FilesystemRead.into()), Ok(()));
/// assert!(scope.check(&StandardPermission::NetworkOutbound.into()).is_err());
/// assert_eq!(scope.to_string(), "/srv/notes");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// Files and folders, by their absolute paths.
    Paths(Vec<String>),
    /// Hosts.
    Hosts(Vec<HostRule>),
    /// TCP ports.
    Ports(Vec<u16>),
    /// Programs, by absolute path or by a name that is looked up.
    Programs(Vec<String>),
}

/// The error returned when a scope does not apply to its permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidScope(String);

impl fmt::Display for InvalidScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid scope: {}", self.0)
    }
}

impl std::error::Error for InvalidScope {}

/// The most entries of a scope.
const MAX_ENTRIES: usize = 64;

/// The longest path or name of a program, in bytes.
const MAX_TEXT: usize = 4096;

impl GrantScope {
    /// Checks that this limits a permission.
    ///
    /// # Errors
    /// If the permission has no limits of this kind, or if an entry is invalid.
    pub fn check(&self, permission: &Permission) -> Result<(), InvalidScope> {
        use StandardPermission::{
            FilesystemRead, FilesystemWrite, NetworkListen, NetworkOutbound, ShellExecute,
        };
        let fits = matches!(
            (self, permission),
            (Self::Paths(_), Permission::Standard(FilesystemRead | FilesystemWrite))
                | (Self::Hosts(_), Permission::Standard(NetworkOutbound))
                | (Self::Ports(_), Permission::Standard(NetworkListen))
                | (Self::Programs(_), Permission::Standard(ShellExecute))
        );
        if !fits {
            return Err(InvalidScope(format!("{permission} is not limited by {}", self.kind())));
        }
        let wrong = match self {
            Self::Paths(paths) => paths.iter().find(|path| !is_path(path)).map(|path| format!("{path:?}")),
            Self::Programs(names) => {
                names.iter().find(|name| !is_program(name)).map(|name| format!("{name:?}"))
            }
            Self::Ports(ports) => ports.iter().find(|port| **port == 0).map(ToString::to_string),
            Self::Hosts(_) => None,
        };
        if let Some(wrong) = wrong {
            let expected = match self {
                Self::Paths(_) => "absolute paths without `..`",
                Self::Programs(_) => "absolute paths without `..`, or names",
                Self::Hosts(_) | Self::Ports(_) => "ports from 1 on",
            };
            return Err(InvalidScope(format!("expected {expected}, found {wrong}")));
        }
        if (1..=MAX_ENTRIES).contains(&self.len()) {
            return Ok(());
        }
        Err(InvalidScope(format!("expected 1 to {MAX_ENTRIES} {}, found {}", self.kind(), self.len())))
    }

    /// Returns whether there are no entries, which is not a valid scope.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Paths(entries) | Self::Programs(entries) => entries.len(),
            Self::Hosts(entries) => entries.len(),
            Self::Ports(entries) => entries.len(),
        }
    }

    /// Returns the name of the kind of limits on the wire.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Paths(_) => "paths",
            Self::Hosts(_) => "hosts",
            Self::Ports(_) => "ports",
            Self::Programs(_) => "programs",
        }
    }
}

fn is_path(path: &str) -> bool {
    path.starts_with('/') && is_text(path) && !path.split('/').any(|part| part == "..")
}

fn is_program(name: &str) -> bool {
    is_path(name) || (!name.is_empty() && !name.contains('/') && name != ".." && is_text(name))
}

fn is_text(text: &str) -> bool {
    text.len() <= MAX_TEXT && !text.chars().any(char::is_control)
}

impl fmt::Display for GrantScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, entries: &[T]) -> fmt::Result {
            for (i, entry) in entries.iter().enumerate() {
                write!(f, "{}{entry}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        }
        match self {
            Self::Paths(entries) | Self::Programs(entries) => list(f, entries),
            Self::Hosts(entries) => list(f, entries),
            Self::Ports(entries) => list(f, entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(permission: StandardPermission, text: &str) -> Result<GrantScope, String> {
        let scope: GrantScope = serde_json::from_str(text).map_err(|error| error.to_string())?;
        scope.check(&permission.into()).map_err(|error| error.to_string())?;
        assert_eq!(serde_json::to_string(&scope).unwrap(), text);
        Ok(scope)
    }

    #[test]
    fn each_permission_accepts_only_its_own_limits() {
        use StandardPermission::*;
        let limits = [
            (r#"{"paths":["/srv","/home/ann/a b"]}"#, &[FilesystemRead, FilesystemWrite][..]),
            (r#"{"hosts":["*.example.com:443","10.0.0.0/8"]}"#, &[NetworkOutbound]),
            (r#"{"ports":[80,65535]}"#, &[NetworkListen]),
            (r#"{"programs":["git","/usr/bin/rg"]}"#, &[ShellExecute]),
        ];
        for (text, of) in limits {
            for permission in StandardPermission::ALL {
                assert_eq!(
                    check(*permission, text).is_ok(),
                    of.contains(permission),
                    "{permission:?} {text}"
                );
            }
        }
        let custom: Permission = "com.example.custom".parse().unwrap();
        let error = GrantScope::Ports(vec![1]).check(&custom).unwrap_err().to_string();
        assert_eq!(error, "invalid scope: com.example.custom is not limited by ports");
    }

    #[test]
    fn an_empty_limit_is_not_a_scope() {
        use StandardPermission::*;
        let many = format!(r#"{{"ports":{:?}}}"#, vec![1; 65]).replace(' ', "");
        for (permission, text) in [
            (FilesystemRead, r#"{"paths":[]}"#),
            (FilesystemRead, r#"{"paths":["srv"]}"#),
            (FilesystemRead, r#"{"paths":["/srv/../etc"]}"#),
            (FilesystemRead, r#"{"paths":["/srv\n"]}"#),
            (FilesystemRead, r#"{"path":["/srv"]}"#),
            (FilesystemRead, r#"{"paths":["/srv"],"hosts":["*"]}"#),
            (FilesystemRead, r#"{"paths":"/srv"}"#),
            (NetworkOutbound, r#"{"hosts":["http://x"]}"#),
            (NetworkListen, r#"{"ports":[0]}"#),
            (NetworkListen, r#"{"ports":[65536]}"#),
            (NetworkListen, &many),
            (ShellExecute, r#"{"programs":[""]}"#),
            (ShellExecute, r#"{"programs":["bin/git"]}"#),
        ] {
            assert!(check(permission, text).is_err(), "{text}");
        }
    }
}
