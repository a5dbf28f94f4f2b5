//! The denied files, resolved in the file system.

use super::{ConfinementMode, PathRule, Profile, Reason};
use std::{
    io,
    path::{Path, PathBuf},
};

/// A denied file or folder.
#[derive(Debug)]
pub(super) struct Denial {
    /// The path as the profile names it.
    named: PathBuf,
    /// The path without links. It may not exist yet.
    pub(super) path: PathBuf,
    pub(super) reason: Reason,
}

impl Denial {
    /// Returns all denials of a profile.
    ///
    /// # Errors
    /// If a path is relative, and the working directory is gone.
    pub(super) fn all(profile: &Profile) -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        for (named, reason) in &profile.denied {
            let path = resolve(named)?;
            // A link is denied as well, or it could be replaced to lead to another file.
            let link = match (named.parent(), named.file_name()) {
                (Some(folder), Some(name)) => Some(resolve(folder)?.join(name)),
                _ => None,
            };
            let paths = link.filter(|link| *link != path).into_iter().chain([path]);
            all.extend(paths.map(|path| Self { named: named.clone(), path, reason: *reason }));
        }
        Ok(all)
    }

    /// Returns whether this denial applies to a rule whose path leads to `path`.
    pub(super) fn holds_for(&self, rule: &PathRule, path: &Path) -> bool {
        match self.reason {
            Reason::Secrets => {
                let names = matches!(rule.reason, Reason::Configuration("read" | "write"));
                // A link that leads to secrets does not name them.
                !(names && rule.path.starts_with(&self.named) && path.starts_with(&self.path))
            }
            Reason::Machine => path.parent().is_none(),
            _ => true,
        }
    }
}

/// Resolves the links of a path up to the first part that does not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let existing = |folder: &Path| {
        let rest = path.strip_prefix(folder).ok()?;
        let real = folder.canonicalize().ok()?;
        // A slash at the end would make a file a folder.
        Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
    };
    path.ancestors().find_map(existing).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Returns an error if all files may be used, but the location of the user's secrets is unknown.
pub(super) fn knows_secrets(profile: &Profile) -> io::Result<()> {
    let all_files = profile.paths.iter().any(|rule| rule.path.parent().is_none());
    let has_secrets = profile.denied.iter().any(|(_, reason)| *reason == Reason::Secrets);
    if profile.mode == ConfinementMode::Require && all_files && !has_secrets {
        let text = "the user has no home folder, so its secrets cannot be left out of all files";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::PathAccess;

    fn denial(path: &str, reason: Reason) -> Denial {
        Denial { named: path.into(), path: path.into(), reason }
    }

    fn holds(denial: &Denial, path: &str, reason: Reason) -> bool {
        let access = PathAccess { write: false, execute: false };
        denial.holds_for(&PathRule { path: path.into(), access, reason }, path.as_ref())
    }

    #[test]
    fn secrets_open_only_to_a_rule_that_names_them() {
        let secrets = denial("/home/ann/.ssh", Reason::Secrets);
        let (read, all) = (
            Reason::Configuration("read"),
            Reason::Permission(mgp_types::permission::StandardPermission::FilesystemRead),
        );
        assert!(
            !holds(&secrets, "/home/ann/.ssh/known_hosts", read) && !holds(&secrets, "/home/ann/.ssh", read)
        );
        assert!(holds(&secrets, "/home/ann", read) && holds(&secrets, "/", all));
        let link = PathRule {
            path: "/notes/link".into(),
            access: PathAccess { write: false, execute: false },
            reason: read,
        };
        assert!(secrets.holds_for(&link, "/home/ann/.ssh".as_ref()));
        let state = denial("/state", Reason::KernelState);
        assert!(holds(&state, "/state/x", read) && holds(&state, "/", all));
    }

    #[test]
    fn only_rules_for_all_files_are_denied_the_machine() {
        let machine = denial("/dev", Reason::Machine);
        assert!(holds(&machine, "/", Reason::Configuration("write")));
        assert!(!holds(&machine, "/dev/null", Reason::System));
    }

    #[test]
    fn a_missing_path_is_resolved_as_far_as_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("home")).unwrap();
        std::os::unix::fs::symlink(root.join("home"), root.join("link")).unwrap();
        assert_eq!(resolve(&root.join("link/.ssh/key")).unwrap(), root.join("home/.ssh/key"));
        assert_eq!(resolve(&root.join("link")).unwrap(), root.join("home"));
    }
}
