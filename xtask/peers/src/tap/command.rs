//! A program with its arguments and environment, with or without a tap.

use crate::programs::Programs;
use mgp_transport::child::ChildCommand;
use std::path::{Path, PathBuf};

/// A program to start.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

/// Returns the file that a tap writes its program's stderr to.
pub(super) fn stderr_of(record: &Path) -> PathBuf {
    record.with_extension("stderr.log")
}

impl Command {
    pub(crate) fn new(program: impl AsRef<Path>) -> Self {
        Self { program: text(program), args: Vec::new(), env: Vec::new() }
    }

    pub(crate) fn args<I: IntoIterator<Item: Into<String>>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Returns the command through a tap, which records all messages.
    pub(crate) fn tapped(self, programs: &Programs, record: &Path) -> Self {
        let args = [super::COMMAND.to_owned(), text(record), self.program].into_iter().chain(self.args);
        Self { program: text(&programs.myself), args: args.collect(), env: self.env }
    }

    /// Returns the command in the form of our own transport, in a folder.
    pub(crate) fn child(&self, name: &str, folder: &Path) -> ChildCommand {
        let command = ChildCommand::new(name, &self.program).args(&self.args).cwd(folder);
        self.env.iter().fold(command, |command, (name, value)| command.env(name, value))
    }

    /// Returns the command in tokio's form, in a folder.
    pub(crate) fn tokio(&self, folder: &Path) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(&self.args).current_dir(folder);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the program and its arguments in one list.
    pub(crate) fn words(&self) -> Vec<&str> {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str).collect()
    }
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}
