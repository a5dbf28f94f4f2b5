//! The files that the rules of a profile lead to.

use super::{PathRule, Profile, Reason};
use mgp_types::permission::StandardPermission::{FilesystemRead, FilesystemWrite};
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The most links in a path, as in the operating system.
const MAX_LINKS: usize = 40;

/// A rule, with the path of its file without links.
#[derive(Debug)]
pub(super) struct ResolvedRule<'a> {
    pub(super) rule: &'a PathRule,
    pub(super) path: PathBuf,
}

/// Resolves the paths of a profile's rules. Paths that do not exist are left out, and so are the program's libraries if their paths
/// pass through a link in a folder that the server may write.
///
/// # Errors
/// If a path of the configuration or of an approval, or the path of the program, passes through a link in a folder that the server may
/// write. On an earlier run, the server may have made the link, to a file that it is not permitted to use.
pub(super) fn resolve_rules(profile: &Profile) -> io::Result<Vec<ResolvedRule<'_>>> {
    let resolve = |rule: &'_ PathRule| rule.path.canonicalize().ok();
    let rules = profile.paths.iter().filter_map(|rule| Some(ResolvedRule { rule, path: resolve(rule)? }));
    let rules: Vec<_> = rules.collect();
    // A server that may write all files needs no link to use one.
    let is_written = |rule: &&ResolvedRule<'_>| rule.rule.access.write && rule.path.parent().is_some();
    let written: Vec<_> = rules.iter().filter(is_written).map(|rule| &*rule.path).collect();
    let is_named = |rule: &&PathRule| {
        matches!(rule.reason, Reason::Configuration(_) | Reason::Permission(FilesystemRead | FilesystemWrite))
    };
    let named = profile.paths.iter().filter(is_named);
    for path in named.map(|rule| &rule.path).chain(&profile.program) {
        check_links(path, &written)?;
    }
    let written: Vec<_> = written.into_iter().map(Path::to_owned).collect();
    let is_safe = |rule: &ResolvedRule<'_>| {
        rule.rule.reason != Reason::Program || check_links(&rule.rule.path, &written).is_ok()
    };
    Ok(rules.into_iter().filter(is_safe).collect())
}

/// Returns an error if a path passes through a link in one of these folders, whose own paths contain no links.
fn check_links(path: &Path, written: &[impl AsRef<Path>]) -> io::Result<()> {
    let mut real = PathBuf::from("/");
    let parts = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let mut left: Vec<_> = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop() {
        match Path::new(&part).components().next() {
            Some(Component::RootDir) => real = "/".into(),
            Some(Component::ParentDir) => drop(real.pop()),
            Some(Component::Normal(name)) => {
                let place = real.join(name);
                let Ok(target) = fs::read_link(&place) else {
                    real = place;
                    continue;
                };
                links += 1;
                if links > MAX_LINKS || written.iter().any(|folder| real.starts_with(folder.as_ref())) {
                    let (path, place) = (path.display(), place.display());
                    let text = format!("{path} passes through {place}, a link that the server may have made");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
                }
                left.extend::<Vec<_>>(parts(&target));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::{ConfinementSettings, ProfileFacts, ProgramFiles};
    use mgp_types::context::TrustLevel;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_unless_the_server_can_write_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("own/sub")).unwrap();
        symlink(root.join("own"), root.join("to_own")).unwrap();
        symlink("../notes", root.join("own/link")).unwrap();
        symlink("to_own/link", root.join("indirect")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let own = root.join("own");
        let check = |name: &str| check_links(&root.join(name), &[&own]).is_ok();
        for name in ["own", "to_own", "own/sub", "to_own/sub", "notes", "own/missing", "own/../notes"] {
            assert!(check(name), "{name}");
        }
        for name in ["own/link", "to_own/link", "indirect", "own/link/../x", "own/sub/../link", "loop"] {
            assert!(!check(name), "{name}");
        }
    }

    #[test]
    fn as_many_links_are_followed_as_the_system_follows() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for number in 0..=MAX_LINKS {
            symlink(format!("link{}", number + 1), root.join(format!("link{number}"))).unwrap();
        }
        let check = |number: usize| check_links(&root.join(format!("link{number}")), &[root.join("own")]);
        assert!(check(1).is_ok() && check(0).is_err());
    }

    #[test]
    fn a_library_link_that_the_server_can_write_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (work, other) = (root.join("work"), root.join("other"));
        fs::create_dir_all(work.join("node_modules")).unwrap();
        fs::create_dir(&other).unwrap();
        let script = work.join("index.js");
        fs::write(&script, "").unwrap();
        let settings = ConfinementSettings { write: vec![work.clone()], ..ConfinementSettings::default() };
        let program =
            ProgramFiles::find("sh", &[script.to_str().unwrap().to_owned()], None, Some("/bin".as_ref()));
        let profile = Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings: &settings,
            granted: &[],
            program: &program,
            granted_programs: &ProgramFiles::default(),
            private_folder: None,
            kernel_files: &[],
            homes: &[],
        });
        let leads_to = |path: &Path| resolve_rules(&profile).unwrap().iter().any(|rule| rule.path == path);
        assert!(leads_to(&work.join("node_modules")), "{profile:?}");
        fs::remove_dir(work.join("node_modules")).unwrap();
        symlink(&other, work.join("node_modules")).unwrap();
        assert!(!leads_to(&other), "{profile:?}");
    }
}
