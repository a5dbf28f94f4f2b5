//! The traits of the scripts of a call, taken together.

use super::finding::Finding;
use crate::validator::shell::Word;
use std::collections::BTreeSet;

/// The traits of scripts. Those of one call are judged together.
#[derive(Debug, Default)]
pub(super) struct Traits {
    /// True if a script evaluates a variable's value.
    pub(super) evaluates: bool,
    /// True if a script composes or decodes text.
    pub(super) composes: bool,
    /// True if a program gets a name that is known only when it runs.
    pub(super) opaque: bool,
    /// True if a script writes a file that may be run.
    pub(super) writes: bool,
    /// True if a script runs code from files.
    pub(super) runs_files: bool,
    /// The names of the files that a script writes.
    pub(super) written: BTreeSet<String>,
    /// The words after programs that run code.
    named: BTreeSet<String>,
    /// True if a script runs a file after writing it.
    runs_written: bool,
    /// True if a script unpacks files with unknown names.
    pub(super) unpacks: bool,
    /// True if git works in a folder other than the one in which the script began.
    pub(super) git_elsewhere: bool,
}

impl Traits {
    /// Adds the traits of another script.
    pub(super) fn add(&mut self, other: Self) {
        self.evaluates |= other.evaluates;
        self.composes |= other.composes;
        self.opaque |= other.opaque;
        self.writes |= other.writes;
        self.runs_files |= other.runs_files;
        self.unpacks |= other.unpacks;
        self.git_elsewhere |= other.git_elsewhere;
        self.runs_written |= other.runs_written || other.named.intersection(&self.written).next().is_some();
        self.written.extend(other.written);
        self.named.extend(other.named);
    }

    /// Notes that a variable holds a path.
    pub(super) fn compose(&mut self) {
        self.composes = true;
    }

    /// Notes the words after a program that runs code.
    pub(super) fn name(&mut self, words: &[Word]) {
        for word in words {
            let text = word
                .text
                .split_once('=')
                .map_or(word.text.as_str(), |(_, value)| value)
                .trim_start_matches("./");
            self.runs_written |= self.written.contains(text);
            self.named.insert(text.to_owned());
        }
    }

    /// Returns the doubts about all scripts together.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.runs_files && self.writes || self.runs_written || self.unpacks && self.git_elsewhere {
            findings.push(Finding::doubt("code that the command itself may have written"));
        }
        if self.composes && (self.opaque || self.evaluates) {
            findings.push(Finding::doubt("a name that the command composes when it runs"));
        }
        findings
    }
}
