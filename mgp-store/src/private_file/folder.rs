//! The folders of private files.

#[cfg(unix)]
use super::owner::{open_own, private_permissions};
use std::{io, path::Path};

/// Creates a folder that only its owner may enter, and the missing ones above it. If the folder exists, removes other accounts' access to it.
///
/// # Errors
/// If the folder cannot be created or belongs to another account, if its path is a symbolic link, or if its permissions cannot be changed.
#[cfg(unix)]
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let open = || open_own(std::fs::OpenOptions::new().read(true), path);
    let (folder, found) = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
            // Another account may have been faster.
            open()?
        }
        opened => opened?,
    };
    if !found.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("{} is not a folder", path.display()),
        ));
    }
    private_permissions(&found).map_or(Ok(()), |permissions| folder.set_permissions(permissions))
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
    fn only_the_owner_may_enter_the_folder_even_if_it_was_open() {
        let parent = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let made = parent.path().join("a/b");
        make_private_folder(&made).unwrap();
        assert_eq!((mode(&made), mode(&parent.path().join("a"))), (0o700, 0o700));
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
        make_private_folder(&made).unwrap();
        assert_eq!(mode(&made), 0o700);
    }

    #[test]
    fn a_link_instead_of_the_folder_is_refused_and_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let (elsewhere, link) = (parent.path().join("elsewhere"), parent.path().join("state"));
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        for link in [link.clone(), link.join("")] {
            let error = make_private_folder(&link).unwrap_err().to_string();
            assert!(error.contains("state is a symbolic link"), "{error}");
        }
        assert_eq!(std::fs::metadata(&elsewhere).unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn a_folder_of_another_account_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        // Only root can give a folder away; for any other account, the root of the file system is one of another.
        let given = std::os::unix::fs::chown(parent.path(), Some(12_345), None).is_ok();
        let folder = if given { parent.path() } else { Path::new("/") };
        let error = make_private_folder(folder).unwrap_err().to_string();
        assert!(error.contains("belongs to the account with the id"), "{error}");
    }
}
