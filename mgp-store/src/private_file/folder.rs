//! The folders of private files.

use std::{io, path::Path};

/// Creates a folder that only its owner may enter, and the missing ones above it. If the folder exists, others lose
/// their access to it.
///
/// # Errors
/// If the folder cannot be created, or the access to it cannot be changed.
#[cfg(unix)]
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    if !path.is_dir() {
        return std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    }
    let mut permissions = std::fs::metadata(path)?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o700);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

/// Creates a folder, and the missing ones above it. On this platform, a user's folders are private already.
///
/// # Errors
/// If the folder cannot be created.
#[cfg(not(unix))]
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_the_owner_may_enter_the_folder_even_where_it_stood_open_before() {
        let parent = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let made = parent.path().join("a/b");
        make_private_folder(&made).unwrap();
        assert_eq!((mode(&made), mode(&parent.path().join("a"))), (0o700, 0o700));
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
        make_private_folder(&made).unwrap();
        assert_eq!(mode(&made), 0o700);
    }
}
