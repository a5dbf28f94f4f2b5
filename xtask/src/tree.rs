//! The repository as text: every hand-written file, without build output.

use std::fs;
use std::path::Path;

const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "node_modules", "mutants.out", "mutants.out.old"];
const TEXT: &[&str] =
    &["rs", "md", "toml", "txt", "sh", "yml", "yaml", "json", "py", "js", "mjs", "html", "css"];
/// Files without an extension that are text.
const TEXT_NAMES: &[&str] = &["run", "LICENSE-MIT", "LICENSE-APACHE", ".gitignore"];

/// A text file, its path relative to the root and with `/`.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// All text files, and the paths of everything else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    /// Files and folders of any kind, for links.
    pub(crate) paths: Vec<String>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> Result<(), String> {
        let at = root.join(folder);
        let failed = |error: std::io::Error| format!("failed to read {}: {error}", at.display());
        for entry in fs::read_dir(&at).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if entry.file_type().map_err(failed)?.is_dir() {
                if !SKIPPED_FOLDERS.contains(&name.as_str()) {
                    self.paths.push(path.clone());
                    self.read_folder(root, &path)?;
                }
                continue;
            }
            self.paths.push(path.clone());
            // The links of a document are relative to the folder of the document.
            let is_linked_document =
                name.ends_with(".md") && entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_text(&name) && !is_linked_document {
                let text = fs::read(entry.path()).map_err(failed)?;
                let text =
                    String::from_utf8(text).map_err(|error| format!("{path} is not UTF-8: {error}"))?;
                self.files.push(File { path, text });
            }
        }
        Ok(())
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    pub(crate) fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".md"))
    }

    /// Returns the files with our own words: all except the corpora of inputs, which contain arbitrary text.
    pub(crate) fn own(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| !file.path.contains("/tests/corpus/"))
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Makes a tree from names and texts.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        Self { paths: files.iter().map(|file| file.path.clone()).collect(), files }
    }
}

fn is_text(name: &str) -> bool {
    TEXT_NAMES.contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, extension)| TEXT.contains(&extension))
}

impl File {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns `true` for code that only tests run.
    pub(crate) fn is_test(&self) -> bool {
        let mut folders = self.path.split('/');
        folders.any(|part| matches!(part, "tests" | "benches")) || self.name().ends_with("tests.rs")
    }

    /// Returns the line, counted from 1, that holds the byte.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_repository_is_read_without_its_build_output() {
        let tree = Tree::read(&workspace::root()).unwrap();
        assert!(tree.file("xtask/src/tree.rs").is_some());
        assert!(tree.paths.iter().all(|path| !path.starts_with("target")));
    }

    #[test]
    fn test_files_are_known_by_folder_and_name() {
        let tree = Tree::of(&[("a/tests/b.rs", ""), ("a/src/tests.rs", ""), ("a/src/b.rs", "")]);
        assert_eq!(tree.rust().map(File::is_test).collect::<Vec<_>>(), [true, true, false]);
    }
}
