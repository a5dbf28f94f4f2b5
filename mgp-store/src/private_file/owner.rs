//! Checks of the owner of private files: files of other accounts and symbolic links are refused.

use std::{
    fs::{self, Metadata, Permissions},
    io,
    path::{Path, PathBuf},
};

/// The bits of a mode that let other accounts in.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;

/// Opens a file or a folder that this account owns. If that creates the file, only its user can read it.
///
/// The owner is read from the open file, and not from the path: a link that is put there between two steps is not followed.
///
/// # Errors
/// If the path is a symbolic link, if the file belongs to another account, or if it cannot be opened. On platforms other than Unix, the owner
/// is not checked, and the check for a link comes before the open.
pub(super) fn open_own(options: &mut fs::OpenOptions, path: &Path) -> io::Result<(fs::File, Metadata)> {
    let path = &without_slash(path);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Without `NONBLOCK`, a pipe of another account would block the open.
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    #[cfg(not(unix))]
    if let Err(error) = own_metadata(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    match options.open(path) {
        Ok(file) => {
            let found = file.metadata()?;
            expect_own(path, &found)?;
            Ok((file, found))
        }
        // The error of the system does not name the cause.
        Err(error) => Err(own_metadata(path)
            .err()
            .filter(|found| found.kind() == io::ErrorKind::Other)
            .unwrap_or(error)),
    }
}

/// Reads the metadata of a file or a folder that this account owns.
///
/// # Errors
/// If the path is a symbolic link, if the file belongs to another account, or if it cannot be read. On platforms other than Unix, the owner
/// is not checked.
pub(super) fn own_metadata(path: &Path) -> io::Result<Metadata> {
    let path = &without_slash(path);
    let found = fs::symlink_metadata(path)?;
    expect_own(path, &found)?;
    Ok(found)
}

/// Returns a path without its trailing slash, because the system follows a link with a trailing slash.
fn without_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

fn expect_own(path: &Path, found: &Metadata) -> io::Result<()> {
    if found.is_symlink() {
        let problem = format!(
            "{} is a symbolic link, which others could point elsewhere: expected a file or folder",
            path.display()
        );
        return Err(io::Error::other(problem));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = rustix::process::geteuid().as_raw();
        if found.uid() != own {
            let problem = format!(
                "{} belongs to the account with the id {}: expected this account, {own}",
                path.display(),
                found.uid()
            );
            return Err(io::Error::other(problem));
        }
    }
    Ok(())
}

/// Returns permissions that deny access to other accounts and keep the owner's, or `None` if others have no access.
#[cfg(unix)]
pub(super) fn private_permissions(found: &Metadata) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = found.permissions();
    if permissions.mode() & OF_OTHERS == 0 {
        return None;
    }
    permissions.set_mode(permissions.mode() & !OF_OTHERS);
    Some(permissions)
}

/// Returns nothing: on this platform, a user's files are private already.
#[cfg(not(unix))]
pub(super) fn private_permissions(_: &Metadata) -> Option<Permissions> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::os::unix::fs::symlink;

    #[test]
    fn the_open_itself_refuses_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, missing) = (folder.path().join("theirs"), folder.path().join("missing"));
        fs::write(&theirs, "theirs").unwrap();
        for (target, name) in [(&theirs, "file"), (&missing, "nothing")] {
            let link = folder.path().join(name);
            symlink(target, &link).unwrap();
            let mut options = fs::OpenOptions::new();
            let error = open_own(options.write(true).create(true).truncate(true), &link).unwrap_err();
            assert!(error.to_string().contains("is a symbolic link"), "{name}: {error}");
        }
        assert_eq!((fs::read(&theirs).unwrap(), missing.exists()), (b"theirs".to_vec(), false));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let (file, _) = open_own(fs::OpenOptions::new().write(true).create_new(true), &path).unwrap();
        assert!(fcntl_getfl(&file).unwrap().contains(OFlags::NONBLOCK));
    }
}
