//! The mounts of a confined process: read-only except for the writable paths.
//!
//! Landlock does not judge changes of a file's mode, owner, times and attributes. Read-only mounts prevent them.

use super::calls;
use std::{
    ffi::{CString, OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

/// The most paths with separate mounts.
const MAX_PATHS: usize = 256;

/// The mounts of a confined process.
#[derive(Debug)]
pub(super) struct Mounts {
    /// True if all files are read-only, except those with separate mounts.
    read_only: bool,
    /// The paths with separate mounts, each after the folders that contain it.
    paths: Vec<MountedPath>,
}

#[derive(Debug)]
struct MountedPath {
    path: CString,
    read_only: bool,
}

impl Mounts {
    /// Returns the mounts that make these paths writable, except the denied ones in them. All paths are absolute and contain no links.
    ///
    /// # Errors
    /// If there are too many paths.
    pub(super) fn new(writable: &[PathBuf], denied: &[PathBuf]) -> io::Result<Self> {
        let is_root = |path: &Path| path.parent().is_none();
        let is_writable = |path: &&PathBuf| writable.iter().any(|writable| path.starts_with(writable));
        let mut paths: Vec<_> =
            writable.iter().filter(|path| !is_root(path)).map(|path| (path, false)).collect();
        paths.extend(denied.iter().filter(is_writable).map(|path| (path, true)));
        if paths.len() > MAX_PATHS {
            let text = format!("{} paths are written or denied: expected at most {MAX_PATHS}", paths.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        // A folder comes before its contents, or it would hide them; denied paths come last, or they would be hidden.
        paths.sort_unstable();
        let mounted = |(path, read_only): (&PathBuf, bool)| {
            Ok(MountedPath { path: CString::new(path.as_os_str().as_bytes())?, read_only })
        };
        let paths = paths.into_iter().map(mounted).collect::<io::Result<_>>()?;
        Ok(Self { read_only: !writable.iter().any(|path| is_root(path)), paths })
    }

    /// Returns the options of bubblewrap that make the mounts, and a `/dev` of its own in which only `devices` are added.
    pub(super) fn options(&self, devices: &[PathBuf]) -> Vec<OsString> {
        let bind = |option: &str, path: &OsStr| [option.into(), path.to_owned(), path.to_owned()];
        let root = if self.read_only { "--ro-bind" } else { "--bind" };
        let mut options: Vec<OsString> = bind(root, "/".as_ref()).into();
        options.extend(["--dev", "/dev", "--remount-ro", "/dev"].map(OsString::from));
        options.extend(devices.iter().flat_map(|device| bind("--dev-bind-try", device.as_os_str())));
        for MountedPath { path, read_only } in &self.paths {
            let path = OsStr::from_bytes(path.to_bytes());
            // The new `/dev` has none of the machine's devices, and hides those.
            if path != "/dev" {
                options.extend(bind(if *read_only { "--ro-bind-try" } else { "--bind" }, path));
            }
        }
        options
    }

    /// Makes the mounts. Called in the child, in its own mount namespace.
    pub(super) fn make(&self) -> io::Result<()> {
        // Later mounts outside would be writable.
        calls::make_private(c"/")?;
        let mut copies = [const { None::<OwnedFd> }; MAX_PATHS];
        for (copy, mounted) in copies.iter_mut().zip(&self.paths) {
            *copy = Some(calls::copy_mounts(&mounted.path)?);
        }
        if self.read_only {
            calls::make_read_only(c"/")?;
        }
        for (copy, mounted) in copies.iter().flatten().zip(&self.paths) {
            calls::attach_mounts(copy, &mounted.path)?;
            if mounted.read_only {
                calls::make_read_only(&mounted.path)?;
            }
        }
        calls::reenter_working_directory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(writable: &[&str], denied: &[&str], devices: &[&str]) -> String {
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        let options = Mounts::new(&paths(writable), &paths(denied)).unwrap().options(&paths(devices));
        options.iter().map(|option| option.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn bubblewrap_makes_the_same_mounts_in_the_same_order() {
        let dev = "--dev /dev --remount-ro /dev";
        assert_eq!(
            options(&["/w/b", "/w"], &["/w/a", "/elsewhere"], &["/dev/tty1"]),
            format!(
                "--ro-bind / / {dev} --dev-bind-try /dev/tty1 /dev/tty1 --bind /w /w --ro-bind-try /w/a /w/a --bind /w/b /w/b"
            )
        );
        // The denied devices of the machine are not in the new `/dev`.
        assert_eq!(
            options(&["/"], &["/dev", "/home/ann/.ssh"], &[]),
            format!("--bind / / {dev} --ro-bind-try /home/ann/.ssh /home/ann/.ssh")
        );
    }
}
