//! The mounts of a confined process: read-only but for the paths that may be written.
//!
//! Landlock does not judge changes of a file's mode, owner, times and attributes. On read-only mounts there are none.

use super::calls;
use std::{
    ffi::CString,
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

/// The most paths with mounts of their own.
const MAX_PATHS: usize = 256;

/// The mounts of a confined process.
#[derive(Debug)]
pub(super) struct Mounts {
    /// True if all files are read-only, but for those with mounts of their own.
    read_only: bool,
    /// The paths with mounts of their own, each after the folders that it lies in.
    paths: Vec<MountedPath>,
}

#[derive(Debug)]
struct MountedPath {
    path: CString,
    read_only: bool,
}

impl Mounts {
    /// Returns the mounts by which these paths can be written, but for those in them that are denied. All paths are absolute and hold no
    /// links.
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
        // A folder comes before those in it, or it would hide them; what is denied comes last, or it would be hidden.
        paths.sort_unstable();
        let mounted = |(path, read_only): (&PathBuf, bool)| {
            Ok(MountedPath { path: CString::new(path.as_os_str().as_bytes())?, read_only })
        };
        let paths = paths.into_iter().map(mounted).collect::<io::Result<_>>()?;
        Ok(Self { read_only: !writable.iter().any(|path| is_root(path)), paths })
    }

    /// Makes the mounts. Called in the child, in a mount namespace of its own.
    pub(super) fn make(&self) -> io::Result<()> {
        // What is mounted outside later would be writable.
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
