//! The notes of the judge: findings, and what a script does to files.

use super::{
    finding::Finding,
    judge::ScriptJudge,
    loaded::{is_inert, is_loaded},
    paths::{is_sink, judge_write, normal},
};
use crate::validator::shell::Word;

/// The most findings that are kept. The first harm is kept even beyond this, so that no number of doubts hides it.
const MAX_FINDINGS: usize = 64;

impl ScriptJudge<'_> {
    /// Notes harm.
    pub(super) fn harm(&mut self, what: &'static str) {
        self.note(Some(Finding::harm(what)));
    }

    /// Notes a doubt.
    pub(super) fn doubt(&mut self, what: &'static str) {
        self.note(Some(Finding::doubt(what)));
    }

    /// Notes a finding, once.
    pub(super) fn note(&mut self, finding: Option<Finding>) {
        let Some(finding) = finding else { return };
        let first_harm = || finding.harmful && !self.findings.iter().any(|known| known.harmful);
        let kept = self.findings.len() < MAX_FINDINGS || first_harm();
        if kept && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Notes that a file is written.
    pub(super) fn write(&mut self, word: &Word) {
        self.remove(word);
        if is_sink(word) || word.text.starts_with("/dev/") || word.text.is_empty() {
            return;
        }
        for path in self.paths_of(word) {
            let path = normal(&path.text);
            if self.runs_by_itself(&path) {
                self.doubt("a file that some program loads or runs by itself");
            }
            self.traits.writes |= !is_inert(&path);
        }
        let name = word.text.rsplit('/').next().unwrap_or_default();
        self.traits.written.extend([name.to_owned(), word.text.trim_start_matches("./").to_owned()]);
    }

    /// Notes that a file is removed, or that a folder is made.
    pub(super) fn remove(&mut self, word: &Word) {
        if self.reading && !is_sink(word) {
            self.harm("a file that is written");
        }
        for path in self.paths_of(word) {
            // A path inside the project is judged relative to it.
            let plain = normal(&path.text);
            let inside = self.project.as_ref().and_then(|project| plain.strip_prefix(project.as_str()));
            let finding =
                inside.map_or_else(|| judge_write(&path), |inside| judge_write(&path.with_text(inside)));
            self.note(finding);
            self.note(self.outside(&plain));
        }
    }

    /// Notes that files with unknown names are changed.
    pub(super) fn changes_files(&mut self) {
        if self.reading {
            self.harm("files that are changed");
        }
        self.code_of_folder();
        self.traits.unpacks = true;
        self.traits.writes = true;
    }

    /// Notes that a program changes files, some of which may run.
    pub(super) fn changes_code(&mut self) {
        self.traits.writes = true;
    }

    /// Notes that a program changes files, some of which may run, if it does.
    pub(super) fn changes_code_if(&mut self, yes: bool) {
        self.traits.writes |= yes;
    }

    /// Notes a file that a build makes.
    pub(super) fn builds_file(&mut self, word: &Word) {
        for path in self.paths_of(word) {
            self.note(judge_write(&path));
            let path = normal(&path.text);
            let own = ["target", "vendor", "bin", "dist", "build", "out"]
                .iter()
                .any(|own| path.split('/').next() == Some(own));
            if is_loaded(&path) && !own {
                self.doubt("a file that some program loads or runs by itself");
            }
        }
        self.traits.written.insert(word.text.trim_start_matches("./").to_owned());
    }

    /// Notes that build outputs are removed. Outside the project, they may belong to others.
    pub(super) fn removes_outputs(&mut self) {
        self.code_of_folder();
    }

    /// Notes that names outside the folder are composed.
    pub(super) fn composes(&mut self) {
        self.traits.composes = true;
    }

    /// Notes words that name a file that is run.
    pub(super) fn names(&mut self, words: &[Word]) {
        self.traits.name(words);
    }

    /// Notes that code from files is run.
    pub(super) fn run_files(&mut self) {
        if self.reading {
            self.doubt("code in files, which may write");
        }
        self.code_of_folder();
        self.traits.runs_files = true;
    }
}
