//! The owner of private files: an account trusts no file of another one, and no link in the place of a file.

use std::{
    fs::{self, Metadata},
    io,
    path::Path,
};

/// The bits of a mode that let other accounts in.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;

/// Reads the metadata of a file or a folder that this account owns.
///
/// # Errors
/// If a symbolic link stands in its place, if it belongs to another account, or if it cannot be read. On platforms other than Unix, an
/// owner is not looked for.
pub(super) fn own_metadata(path: &Path) -> io::Result<Metadata> {
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        let problem = format!(
            "{} is a symbolic link: expected a file or folder of its own, which nobody can point elsewhere",
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
    Ok(found)
}

/// Takes the access to a file or a folder from other accounts, and leaves that of its owner.
///
/// # Errors
/// If the access cannot be changed.
#[cfg(unix)]
pub(super) fn make_private(path: &Path, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = found.permissions();
    if permissions.mode() & OF_OTHERS != 0 {
        permissions.set_mode(permissions.mode() & !OF_OTHERS);
        fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

/// Does nothing: on this platform, a user's files are private already.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(super) fn make_private(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}
