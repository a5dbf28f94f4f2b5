//! The command that starts a server.

use super::{
    ChildProcess,
    environment::{
        has_credentials, inherited, inherited_value, is_inherited, is_secret, left_out_for_credentials,
    },
    start_error::start_error,
    stderr,
};
#[cfg(target_os = "linux")]
use super::{
    left_behind::{RunMark, VARIABLE},
    parent_death::{LOADER_VARIABLES, SETPRIV, end_with_parent, is_for_setpriv},
};
use crate::{
    connection::{Builder, Connection, Unreadable},
    seam::{ChildLine, ChildSetup, PeerService, PreparedChild, SetupInChild},
};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use std::{env, ffi::OsString, fmt, io, path::PathBuf, process::Stdio, sync::Arc};
use tokio::process::{ChildStdin, ChildStdout};

/// The command that starts a server: program, arguments, environment, working directory.
///
/// The child gets the variables that are set here. It inherits only the variables that programs need to find files, certificates
/// and proxies, and the user and the language: a gateway's own secrets must not reach its servers.
#[derive(Clone)]
pub struct ChildCommand {
    server_id: String,
    program: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    inherit: Vec<String>,
    cwd: Option<PathBuf>,
    setup: Option<Arc<dyn ChildSetup>>,
}

impl ChildCommand {
    /// Creates a command for a program, which is looked up in `PATH`. Logs and errors name the server by its id.
    #[must_use]
    pub fn new(server_id: impl Into<String>, program: impl Into<String>) -> Self {
        Self {
            server_id: server_id.into(),
            program: program.into(),
            args: vec![],
            env: vec![],
            inherit: vec![],
            cwd: None,
            setup: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<I: IntoIterator<Item: Into<String>>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Lets the child inherit further variables of this process, if they are set. A `*` at the end of a name matches any text.
    #[must_use]
    pub fn inherit<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.inherit.extend(names.into_iter().map(Into::into));
        self
    }

    /// Returns whether a child inherits a variable of this name by default. Exceptions are confined children, and values that
    /// hold an address with a user name or a password.
    #[must_use]
    pub fn inherits(name: &str) -> bool {
        is_inherited(&[], name)
    }

    /// Returns whether a variable's name is that of a secret, such as a token.
    #[must_use]
    pub fn names_secret(name: &str) -> bool {
        is_secret(name)
    }

    /// Returns whether a text holds an address with a user name or a password.
    #[must_use]
    pub fn holds_credentials(text: &str) -> bool {
        has_credentials(text)
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets up the process before its program starts.
    #[must_use]
    pub fn setup(mut self, setup: Arc<dyn ChildSetup>) -> Self {
        self.setup = Some(setup);
        self
    }

    /// Returns the program, as it was given.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.args
    }

    /// Returns the names of the variables that are set for the child.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.env.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the working directory, if one is set.
    #[must_use]
    pub fn working_directory(&self) -> Option<&std::path::Path> {
        self.cwd.as_deref()
    }

    /// Returns the value of an environment variable that the child gets.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.env.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.into());
        own.or_else(|| inherited_value(&self.inherit, name))
    }

    /// Returns the files that the program may be, in the order in which the operating system tries them.
    pub(super) fn candidates(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.cwd.clone().unwrap_or_default();
        let folders: Vec<PathBuf> = match self.program.contains(std::path::is_separator) {
            true => vec![PathBuf::new()],
            false => env::split_paths(&self.variable("PATH").unwrap_or_default()).collect(),
        };
        // A relative path starts from the working directory.
        folders.into_iter().map(move |of_path| folder.join(of_path).join(&self.program))
    }

    /// Calls `part` with each part that determines the process, in a fixed order: program, arguments, environment with the
    /// inherited variables, working directory. Two commands with the same parts start the same process. The parts may hold
    /// secrets. The inherited `TERM` is left out, because a server communicates over pipes. `setup` is not a part.
    pub fn for_each_part(&self, part: &mut dyn FnMut(&[u8])) {
        part(self.program.as_bytes());
        part(&self.args.len().to_be_bytes());
        self.args.iter().for_each(|arg| part(arg.as_bytes()));
        let mut env = inherited(&self.inherit, false);
        env.retain(|name, _| name != "TERM");
        env.extend(self.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        for (name, value) in env {
            part(name.as_encoded_bytes());
            part(value.as_encoded_bytes());
        }
        part(b"");
        let cwd = env::current_dir().unwrap_or_default().join(self.cwd.as_deref().unwrap_or("".as_ref()));
        part(cwd.as_os_str().as_encoded_bytes());
    }

    /// Starts the process, and a connection to it.
    ///
    /// # Errors
    /// Returns the error of the operating system, together with the program's name. If something does not exist, the error says whether it is
    /// the program, its working directory or its interpreter.
    pub async fn connect<S: PeerService>(
        &self,
        builder: Builder<S>,
    ) -> io::Result<(Connection, ChildProcess)> {
        let (process, stdin, stdout) = self.spawn(Stdio::piped()).await?;
        // Many servers also print other text to their stdout, and do not read answers to it.
        Ok((builder.unreadable(Unreadable::PassOver).over(stdout, stdin), process))
    }

    /// Starts the process. Only a stderr that is piped is logged.
    pub(crate) async fn spawn(&self, stderr: Stdio) -> io::Result<(ChildProcess, ChildStdin, ChildStdout)> {
        let failed = |error: io::Error| start_error(self, self.setup.is_some(), &error);
        let mut prepared = match self.setup.clone() {
            Some(setup) => Some(blocking(move || setup.prepare()).await.map_err(failed)?),
            None => None,
        };
        let isolated = prepared.as_ref().is_some_and(|prepared| prepared.isolated);
        if !isolated {
            self.log_left_out_variables();
        }
        #[cfg(target_os = "linux")]
        let run = RunMark::new();
        #[cfg(target_os = "linux")]
        let by_setpriv = prepared.is_none()
            && LOADER_VARIABLES.iter().all(|name| self.variable(name).is_none())
            && is_for_setpriv(self.candidates());
        #[cfg(target_os = "linux")]
        let starter: &[&str] = if by_setpriv { &SETPRIV } else { &[] };
        #[cfg(not(target_os = "linux"))]
        let starter: &[&str] = &[];
        let mut line = self.line(starter, isolated, prepared.as_ref());
        #[cfg(target_os = "linux")]
        line.env.insert(VARIABLE.into(), run.as_str().into());
        if let Some(through) = prepared.as_mut().and_then(|prepared| prepared.through.take()) {
            line = blocking(move || through(line)).await.map_err(failed)?;
        }
        let mut words = line.words.iter();
        let mut command = CommandWrap::with_new(words.next().cloned().unwrap_or_default(), |command| {
            command.args(words).env_clear().envs(line.inherited).envs(line.env);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
            if let Some(cwd) = line.cwd {
                command.current_dir(cwd);
            }
        });
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        // With KillOnDrop, the system kills the job when its last handle is closed, even if this process is killed.
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let setup = prepared.as_ref().map(|prepared| prepared.in_child.clone());
        let mut child = spawn(command, prepared, starter.is_empty()).await.map_err(failed)?;
        let (Some(stdin), Some(stdout)) = (child.stdin().take(), child.stdout().take()) else {
            return Err(io::Error::other(format!("failed to start {:?}: no pipes to it", self.program)));
        };
        let last_words = match child.stderr().take() {
            Some(stderr) => stderr::log(self.server_id.clone(), stderr),
            None => stderr::log(self.server_id.clone(), tokio::io::empty()),
        };
        let process = ChildProcess::new(self.server_id.clone(), child, last_words, setup);
        #[cfg(target_os = "linux")]
        let process = process.named(run);
        Ok((process, stdin, stdout))
    }

    /// Returns the command line of the process, which the words of `starter` precede.
    fn line(&self, starter: &[&str], isolated: bool, prepared: Option<&PreparedChild>) -> ChildLine {
        let words = starter.iter().copied().chain([&*self.program]).map(OsString::from);
        let of_setup = prepared.iter().flat_map(|prepared| &prepared.env);
        let of_setup = of_setup.map(|(name, value)| (OsString::from(name), value.clone()));
        let own = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        ChildLine {
            words: words.chain(self.args.iter().map(OsString::from)).collect(),
            inherited: inherited(&self.inherit, isolated),
            env: of_setup.chain(own).collect(),
            cwd: self.cwd.clone().or_else(|| prepared?.cwd.clone()),
        }
    }

    /// Logs the names of the variables that the child does not inherit because their values hold credentials.
    fn log_left_out_variables(&self) {
        let variables = left_out_for_credentials(&self.inherit);
        if !variables.is_empty() {
            tracing::warn!(
                server = self.server_id,
                ?variables,
                "variables that hold a user name or password are not passed on: name those that the server needs in its inherit"
            );
        }
    }
}

#[cfg(target_os = "linux")]
async fn spawn(
    mut command: CommandWrap,
    prepared: Option<PreparedChild>,
    is_forked: bool,
) -> io::Result<Box<dyn ChildWrapper>> {
    let ends_with_parent = prepared.as_ref().is_some_and(|prepared| prepared.ends_with_parent);
    let setup = prepared.map(|prepared| prepared.in_child);
    // A setup may change the user, which clears the parent-death signal. So the setup comes first.
    if let Some(setup) = &setup {
        super::before_exec::set_up(command.command_mut(), setup.clone());
    }
    if is_forked && !ends_with_parent {
        end_with_parent(command.command_mut());
    }
    let started = super::spawn_thread::start_on_thread(move || command.spawn()).await;
    conclude(setup, started).await
}

#[cfg(not(target_os = "linux"))]
async fn spawn(
    mut command: CommandWrap,
    prepared: Option<PreparedChild>,
    _: bool,
) -> io::Result<Box<dyn ChildWrapper>> {
    let started = command.spawn();
    conclude(prepared.map(|prepared| prepared.in_child), started).await
}

/// Has the setup handle the outcome of a start, if there is one.
async fn conclude(
    setup: Option<Arc<dyn SetupInChild>>,
    started: io::Result<Box<dyn ChildWrapper>>,
) -> io::Result<Box<dyn ChildWrapper>> {
    let Some(setup) = setup else { return started };
    blocking(move || match started {
        Ok(child) => setup.conclude(Ok(())).map(|()| child),
        Err(error) => Err(setup.conclude(Err(error)).err().unwrap_or_else(|| io::ErrorKind::Other.into())),
    })
    .await
}

/// Runs a part of a start on a thread for work that blocks.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

impl fmt::Debug for ChildCommand {
    /// Leaves out the values of environment variables, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let env: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildCommand")
            .field("server_id", &self.server_id)
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &env)
            .field("inherit", &self.inherit)
            .field("cwd", &self.cwd)
            .finish()
    }
}
