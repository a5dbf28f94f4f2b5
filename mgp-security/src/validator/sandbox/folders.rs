//! The folders in which a script may be, and the code that it runs there.

use super::{judge::ScriptJudge, options, paths::normal};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    /// Notes that git runs: it takes settings, and so programs, from its working folder.
    pub(super) fn runs_git(&mut self, folder: Option<&Word>, reads: bool) {
        if self.folders.iter().any(|folder| !(self.is_project(folder) || reads && folder.starts_with(OPAQUE)))
        {
            self.doubt("code or files of a folder outside the project");
        }
        let project = |folder: &Word| reads && folder.text.starts_with('/') && self.is_project(&folder.text);
        if let Some(folder) = folder.filter(|folder| !project(folder)) {
            self.folder_option(folder);
        }
        self.traits.git_elsewhere |= folder.is_some() || !self.folders.is_empty();
    }

    /// Returns the paths that a word may mean, relative to the folder in which the script began.
    pub(super) fn paths_of(&self, word: &Word) -> Vec<Word> {
        if word.text.starts_with(['/', '~', '-']) {
            return vec![word.clone()];
        }
        let inside = |folder: &String| word.with_text(format!("{folder}/{}", word.text));
        [word.clone()].into_iter().chain(self.folders.iter().map(inside)).collect()
    }

    /// Notes that a script changes to another folder. The change may fail, and the script may return, so every folder so far stays
    /// possible.
    pub(super) fn go_to(&mut self, arguments: &[Word]) {
        const MOST: usize = 16;
        const DEEP: usize = 200;
        let home = Word::literal("~");
        let target = options::operands(arguments, "").first().copied().unwrap_or(&home).clone();
        if target.text == "-" || target.text.starts_with('+') {
            return;
        }
        for path in self.paths_of(&target) {
            let path = normal(&path.text);
            let plain = !path.starts_with(['/', '~', '.']) && !path.contains(OPAQUE);
            if plain {
                // All folders inside the project are equivalent.
                self.folders.retain(|folder| folder.starts_with(['/', '~', '.']) || folder.contains(OPAQUE));
            }
            // A folder deep inside counts as one level less deep: a path that climbs out of it is then asked about.
            let path = if plain && path.len() > DEEP { normal(&target.text) } else { path };
            if !path.is_empty() && !self.folders.contains(&path) {
                self.folders.push(path);
            }
        }
        if self.folders.len() > MOST {
            self.folders.truncate(MOST);
            self.doubt("more folders than are followed");
        }
    }

    /// Returns a path that climbs out of a folder inside the project, relative to the project; any other text unchanged.
    pub(super) fn seen_from_start(&self, text: &str) -> String {
        match &self.folders[..] {
            [folder] if text.starts_with("..") && self.is_project(folder) => {
                normal(&format!("{folder}/{text}"))
            }
            _ => text.to_owned(),
        }
    }

    /// Notes a doubt about code of a folder outside the project.
    pub(super) fn code_of_folder(&mut self) {
        if self.folders.iter().any(|folder| !self.is_project(folder)) {
            self.doubt("code or files of a folder outside the project");
        }
    }

    /// Notes a doubt if a folder that an option names is outside the project.
    pub(super) fn folder_option(&mut self, folder: &Word) {
        let path = normal(&folder.text);
        if path.starts_with(['/', '~', '.']) && path != "." || folder.known().is_none() {
            self.doubt("code or files of a folder outside the project");
        }
    }
}
