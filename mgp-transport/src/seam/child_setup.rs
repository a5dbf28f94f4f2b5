//! The setup of a child process before its program starts.

use std::{collections::BTreeMap, ffi::OsString, fmt, io, path::PathBuf, sync::Arc};

/// Sets up the process of a server before its program starts, for example to confine it.
pub trait ChildSetup: fmt::Debug + Send + Sync {
    /// Prepares one start, in this process, on a thread where it may block.
    ///
    /// # Errors
    /// Returns the reason why the program must not be started.
    fn prepare(&self) -> io::Result<PreparedChild>;
}

/// One start of a child process, as [`ChildSetup::prepare`] prepared it.
pub struct PreparedChild {
    /// True if the process has its own files and network, so that it does not inherit variables that name others.
    pub isolated: bool,
    /// Variables that replace inherited ones. Variables that are set for the server itself are kept.
    pub env: Vec<(&'static str, OsString)>,
    /// The working directory of a server for which none is set.
    pub cwd: Option<PathBuf>,
    /// True if the part that runs in the child also ends the process when this one ends.
    pub ends_with_parent: bool,
    /// Replaces the command line, if another program starts the server; called on a thread where it may block.
    pub through: Option<ReplaceLine>,
    /// The part that runs in the child. Only Linux calls its [`apply`](SetupInChild::apply).
    pub in_child: Arc<dyn SetupInChild>,
}

/// A function that replaces the command line of a server by that of a program that starts it.
pub type ReplaceLine = Box<dyn FnOnce(ChildLine) -> io::Result<ChildLine> + Send>;

/// The command line of a process, with its environment and its working directory.
#[derive(Clone, Default)]
pub struct ChildLine {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The variables that it inherits.
    pub inherited: BTreeMap<OsString, OsString>,
    /// The variables that are set for it, which replace inherited ones.
    pub env: BTreeMap<OsString, OsString>,
    /// The working directory; `None` for that of this process.
    pub cwd: Option<PathBuf>,
}

impl fmt::Debug for ChildLine {
    /// Leaves out the values of variables, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let env: Vec<_> = self.env.keys().collect();
        f.debug_struct("ChildLine").field("words", &self.words).field("env", &env).finish_non_exhaustive()
    }
}

impl fmt::Debug for PreparedChild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedChild").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// The part of a setup that runs in the child process.
///
/// # Safety
/// [`apply`](Self::apply) runs between fork and exec, in a process that may have been forked while other threads held locks. It must
/// only do what is async-signal-safe: it must neither allocate nor take a lock.
#[expect(unsafe_code, reason = "an implementation promises what the compiler cannot check")]
pub unsafe trait SetupInChild: Send + Sync {
    /// Sets up the process that it runs in.
    ///
    /// # Errors
    /// Returns an error of the operating system, created from its number.
    fn apply(&self) -> io::Result<()>;

    /// Handles the outcome of the start, in the process that prepared it, on a thread where it may block. If the program has started, the setup is kept until the
    /// process has ended, and then dropped on a thread where it may block.
    ///
    /// # Errors
    /// Returns the error of the start, with the step of the setup that failed, if any.
    fn conclude(&self, started: io::Result<()>) -> io::Result<()>;
}
