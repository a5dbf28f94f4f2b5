//! A folder that paths cannot escape.

use super::error::FileError;
use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

/// The largest file that is read or written, in bytes.
pub(super) const MAX_FILE: u64 = 256 * 1024;
/// The maximum number of files in the folder.
const MAX_FILES: usize = 1000;
/// The maximum number of listed entries of one folder.
const MAX_LISTED: usize = 1000;
/// The longest path, in bytes.
const MAX_PATH: usize = 1024;

/// A folder of text files. Paths are relative to it: `..`, roots and symbolic links are refused.
///
/// A path is checked before it is opened. This protects against callers of the tools, which cannot create links. It does not
/// protect against another process that changes the folder at the same moment.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(super) struct Entry {
    /// The path, in the form that the other tools accept.
    pub(super) path: String,
    /// True if it is a folder.
    pub(super) folder: bool,
    /// The size in bytes; 0 for a folder.
    pub(super) bytes: u64,
}

impl Folder {
    /// Opens a folder, and creates it if it is missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self { root: path.canonicalize()? })
    }

    /// Lists the files and folders in a folder, by name. Everything else, such as links, is left out.
    pub(super) fn list(&self, path: &str) -> Result<Vec<Entry>, FileError> {
        let folder = self.resolve(path)?;
        expect_kind(&folder, path, Metadata::is_dir, "a folder")?;
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder).map_err(FileError::io(path))?.take(MAX_LISTED) {
            let entry = entry.map_err(FileError::io(path))?;
            let found = entry.metadata().map_err(FileError::io(path))?;
            if found.is_file() || found.is_dir() {
                let bytes = if found.is_file() { found.len() } else { 0 };
                entries.push(Entry { path: self.name(&entry.path()), folder: found.is_dir(), bytes });
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// Reads the text of a file.
    pub(super) fn read(&self, path: &str) -> Result<String, FileError> {
        let file = self.resolve(path)?;
        // The kind is checked before the file is opened, because opening a pipe would wait for its other end.
        expect_kind(&file, path, Metadata::is_file, "a file")?;
        let mut text = Vec::new();
        let file = File::open(&file).map_err(FileError::io(path))?;
        file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(FileError::io(path))?;
        if text.len() as u64 > MAX_FILE {
            return Err(FileError::TooLarge { path: path.to_owned(), limit: MAX_FILE });
        }
        String::from_utf8(text).map_err(|_| FileError::NoText(path.to_owned()))
    }

    /// Writes a file, replacing an existing one, and creates its parent folders. Returns whether the text is different from before.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<bool, FileError> {
        if text.len() as u64 > MAX_FILE {
            return Err(FileError::TooLarge { path: path.to_owned(), limit: MAX_FILE });
        }
        let file = self.resolve(path)?;
        match fs::symlink_metadata(&file) {
            Ok(found) if found.is_file() => {
                if found.len() == text.len() as u64 && self.read(path).is_ok_and(|old| old == text) {
                    return Ok(false);
                }
            }
            Ok(_) => return Err(FileError::Kind { path: path.to_owned(), expected: "a file" }),
            Err(_) if self.files().len() >= MAX_FILES => return Err(FileError::Full(MAX_FILES)),
            Err(_) => {
                let above = file.parent().unwrap_or(&self.root);
                fs::create_dir_all(above).map_err(FileError::io(path))?;
            }
        }
        fs::write(&file, text).map_err(FileError::io(path))?;
        Ok(true)
    }

    /// Lists the paths of the files at any depth, by name, up to the maximum number of files. Folders and entries that cannot
    /// be read are left out.
    pub(super) fn files(&self) -> Vec<String> {
        let (mut files, mut folders, mut looked_at) = (Vec::new(), vec![self.root.clone()], 0);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                looked_at += 1;
                if looked_at > 10 * MAX_FILES || files.len() >= MAX_FILES {
                    folders.clear();
                    break;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(kind) if kind.is_file() => files.push(self.name(&entry.path())),
                    _ => {}
                }
            }
        }
        files.sort();
        files
    }

    /// Resolves a path below the folder, and rejects paths that could escape it.
    fn resolve(&self, path: &str) -> Result<PathBuf, FileError> {
        if path.len() > MAX_PATH {
            return Err(FileError::LongPath { found: path.len(), limit: MAX_PATH });
        }
        let mut place = self.root.clone();
        for part in Path::new(path).components() {
            match part {
                Component::Normal(name) => place.push(name),
                Component::CurDir => continue,
                _ => return Err(FileError::Outside(path.to_owned())),
            }
            match fs::symlink_metadata(&place) {
                Ok(found) if found.is_symlink() => return Err(FileError::Link(path.to_owned())),
                // A missing entry cannot escape the folder.
                _ => {}
            }
        }
        Ok(place)
    }

    /// Returns the path relative to the folder.
    fn name(&self, place: &Path) -> String {
        place.strip_prefix(&self.root).unwrap_or(place).to_string_lossy().into_owned()
    }
}

fn expect_kind(
    place: &Path,
    path: &str,
    is: impl Fn(&Metadata) -> bool,
    expected: &'static str,
) -> Result<(), FileError> {
    let found = fs::symlink_metadata(place).map_err(FileError::io(path))?;
    if is(&found) { Ok(()) } else { Err(FileError::Kind { path: path.to_owned(), expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret"), "s").unwrap();
        let folder = Folder::open(&outer.path().join("inner")).unwrap();
        (outer, folder)
    }

    fn refusals(folder: &Folder, path: &str) -> [String; 3] {
        [
            folder.read(path).unwrap_err().to_string(),
            folder.write(path, "x").unwrap_err().to_string(),
            folder.list(path).unwrap_err().to_string(),
        ]
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let (outer, folder) = folder();
        folder.write("sub/a.txt", "a").unwrap();
        let absolute = outer.path().join("secret");
        for path in ["../secret", "sub/../../secret", "..", "sub/..", "/", absolute.to_str().unwrap()] {
            for refusal in refusals(&folder, path) {
                assert!(refusal.starts_with("invalid path"), "{path}: {refusal}");
            }
        }
        assert_eq!(fs::read_to_string(absolute).unwrap(), "s");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_followed_nowhere_in_a_path() {
        use std::os::unix::fs::symlink;
        let (outer, folder) = folder();
        let inner = outer.path().join("inner");
        symlink(outer.path().join("secret"), inner.join("file")).unwrap();
        symlink(outer.path(), inner.join("folder")).unwrap();
        symlink(outer.path().join("nothing"), inner.join("dangling")).unwrap();
        for path in ["file", "folder", "folder/secret", "folder/new", "./folder/secret", "dangling"] {
            for refusal in refusals(&folder, path) {
                assert!(refusal.contains("symbolic link"), "{path}: {refusal}");
            }
        }
        assert_eq!((folder.list("").unwrap(), folder.files()), (vec![], vec![]));
        assert!(!outer.path().join("new").exists() && !outer.path().join("nothing").exists());
    }

    #[test]
    fn written_files_are_read_and_listed() {
        let (_outer, folder) = folder();
        folder.write("sub/a.txt", "old").unwrap();
        assert!(folder.write("./sub/a.txt", "new").unwrap());
        assert!(!folder.write("sub/a.txt", "new").unwrap());
        assert_eq!(folder.read("sub/a.txt").unwrap(), "new");
        let entry = |path: &str, folder, bytes| Entry { path: path.to_owned(), folder, bytes };
        assert_eq!(folder.list("").unwrap(), [entry("sub", true, 0)]);
        assert_eq!(folder.list("sub").unwrap(), [entry("sub/a.txt", false, 3)]);
        assert_eq!(folder.files(), ["sub/a.txt"]);
    }

    #[test]
    fn sizes_are_bounded_and_binary_files_are_refused() {
        let (outer, folder) = folder();
        let message = |result: Result<String, FileError>| result.unwrap_err().to_string();
        let large = "x".repeat(usize::try_from(MAX_FILE).unwrap());
        folder.write("large", &large).unwrap();
        assert_eq!(folder.read("large").unwrap().len(), large.len());
        let larger = folder.write("larger", &format!("{large}x")).unwrap_err().to_string();
        assert_eq!(larger, r#""larger" is too large: expected at most 262144 bytes"#);
        fs::write(outer.path().join("inner/larger"), format!("{large}x")).unwrap();
        assert!(message(folder.read("larger")).contains("too large"));
        fs::write(outer.path().join("inner/binary"), [0xff]).unwrap();
        assert_eq!(message(folder.read("binary")), r#""binary" is not text: expected UTF-8"#);
        fs::create_dir(outer.path().join("inner/sub")).unwrap();
        assert_eq!(message(folder.read("sub")), r#"invalid path "sub": expected a file"#);
        assert!(folder.write("sub", "x").is_err() && folder.list("large").is_err());
        assert!(message(folder.read(&"x".repeat(2000))).contains("2000 bytes long"));
        assert!(message(folder.read("missing")).starts_with("\"missing\": "));
    }

    #[test]
    fn a_full_folder_accepts_changes_and_no_new_file() {
        let (outer, folder) = folder();
        for number in 0..MAX_FILES {
            fs::write(outer.path().join(format!("inner/{number}")), "").unwrap();
        }
        assert!(matches!(folder.write("more", "x"), Err(FileError::Full(MAX_FILES))));
        folder.write("7", "x").unwrap();
    }
}
