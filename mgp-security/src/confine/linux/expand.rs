//! Rules that exclude a part of a folder, expanded because Landlock can only permit.

use std::{
    fs,
    io::{
        self,
        ErrorKind::{NotADirectory, NotFound, PermissionDenied},
    },
    path::{Path, PathBuf},
};

/// The most entries of folders that are read for one rule.
const MAX_ENTRIES: usize = 10_000;

/// The paths that cover a folder except its denied parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cover {
    /// The paths to which the rule applies in full.
    pub(super) whole: Vec<PathBuf>,
    /// The folders that can only be listed, because they contain a denied path.
    pub(super) listed: Vec<PathBuf>,
}

/// Covers a path except the denied ones. All paths are absolute and contain no links.
///
/// # Errors
/// If a folder cannot be listed, or has too many entries.
pub(super) fn cover(path: &Path, denied: &[PathBuf]) -> io::Result<Cover> {
    let mut cover = Cover::default();
    let mut left = vec![path.to_owned()];
    let mut entries = 0;
    while let Some(path) = left.pop() {
        if denied.iter().any(|denied| path.starts_with(denied)) {
            continue;
        }
        if !denied.iter().any(|denied| denied.starts_with(&path)) {
            cover.whole.push(path);
            continue;
        }
        let entries_of = match fs::read_dir(&path) {
            // Folders that the kernel may not list, and entries that are not folders, are left out.
            Err(error) if matches!(error.kind(), PermissionDenied | NotADirectory | NotFound) => continue,
            listed => listed?,
        };
        for entry in entries_of {
            entries += 1;
            if entries > MAX_ENTRIES {
                let text =
                    format!("more than {MAX_ENTRIES} files besides the denied ones in {}", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            let entry = entry?;
            // The target of a link is covered at its own path, or denied there.
            if !entry.file_type()?.is_symlink() {
                left.push(entry.path());
            }
        }
        cover.listed.push(path);
    }
    Ok(cover)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_paths_are_left_out_even_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/.ssh")).unwrap();
        fs::write(root.join("home/notes"), "").unwrap();
        std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("home/link")).unwrap();
        let covered = cover(&root, &[root.join("home/.ssh"), "/nowhere".into()]).unwrap();
        assert_eq!(covered.whole, [root.join("home/notes")]);
        assert_eq!(covered.listed, [root.clone(), root.join("home")]);
        let inside = cover(&root.join("home/.ssh/keys"), &[root.join("home/.ssh")]).unwrap();
        assert_eq!(inside, Cover::default());
        let beneath_a_file = cover(&root.join("home/notes"), &[root.join("home/notes/x")]).unwrap();
        assert_eq!(beneath_a_file, Cover::default());
        assert!(cover(Path::new("/no\0path"), &["/no\0path/x".into()]).is_err());
    }

    #[test]
    fn a_folder_with_too_many_files_next_to_a_denied_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for number in 0..MAX_ENTRIES {
            fs::write(root.join(number.to_string()), "").unwrap();
        }
        let denied = [root.join("0")];
        assert_eq!(cover(&root, &denied).unwrap().whole.len(), MAX_ENTRIES - 1);
        fs::write(root.join("more"), "").unwrap();
        assert!(cover(&root, &denied).unwrap_err().to_string().contains("more than 10000 files"));
    }
}
