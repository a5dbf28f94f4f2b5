//! The running kernels of a state folder, for the operator's commands.

use super::host::CommandHost;
#[cfg(unix)]
use crate::output::note;
use crate::{error::CliError, exit::Exit, setup::Setup};
use mgp_client_sdk::client::{Client, ClientBuilder};
use mgp_types::negotiation::ExtensionSet;

/// A running kernel, with an operator's session.
#[derive(Debug)]
pub(crate) struct RunningKernel {
    /// The id of its process.
    pub(crate) pid: u32,
    pub(crate) client: Client,
    #[cfg(unix)]
    at: super::sockets::SocketPath,
}

impl RunningKernel {
    /// Opens another connection to the kernel, as a host of an agent.
    ///
    /// # Errors
    /// If the kernel is gone or does not answer.
    #[cfg(unix)]
    pub(crate) async fn host(
        &self,
        setup: &Setup,
        host: &CommandHost,
        builder: ClientBuilder,
    ) -> Result<Client, CliError> {
        unix::connect_host(setup, &self.at, host, builder).await
    }

    #[cfg(not(unix))]
    pub(crate) async fn host(
        &self,
        _: &Setup,
        _: &CommandHost,
        _: ClientBuilder,
    ) -> Result<Client, CliError> {
        Err(CliError::failed("running gateways cannot be asked on this system, which has no control sockets"))
    }
}

/// Connects to every running kernel of the state folder, or to the one with a process id. `extensions` are the MGP extensions that the
/// command needs. Kernels that do not answer are named in notes.
///
/// # Errors
/// If no kernel runs, none has the process id, or none answers.
pub(crate) async fn running_kernels(
    setup: &Setup,
    pid: Option<u32>,
    extensions: ExtensionSet,
) -> Result<Vec<RunningKernel>, CliError> {
    let kernels = connect_all(setup, pid, extensions).await?;
    if kernels.is_empty() {
        return Err(none_runs(setup, pid));
    }
    Ok(kernels)
}

/// Connects to every running kernel of the state folder, for a command that also works without one. Kernels that do not answer are named in
/// notes.
pub(crate) async fn kernels_that_run(setup: &Setup, extensions: ExtensionSet) -> Vec<RunningKernel> {
    #[cfg(unix)]
    let kernels = connect_all(setup, None, extensions).await.unwrap_or_else(|error| {
        note(error.message());
        Vec::new()
    });
    #[cfg(not(unix))]
    let kernels = Vec::new();
    #[cfg(not(unix))]
    let _ = (setup, extensions);
    kernels
}

fn none_runs(setup: &Setup, pid: Option<u32>) -> CliError {
    let state = setup.state.path().display();
    match pid {
        Some(pid) => CliError::new(Exit::NotFound, format!("process {pid} is not a running gateway of {state}"))
            .help("see `mgp status`"),
        None => CliError::new(Exit::NotFound, format!("no gateway is running in {state}")).help(
            "a host starts one with `mgp serve`; start one yourself with `mgp serve --http 127.0.0.1:7433`, or \
             name another folder with --state-dir; --demo asks that of `mgp serve --demo`",
        ),
    }
}

#[cfg(not(unix))]
async fn connect_all(_: &Setup, _: Option<u32>, _: ExtensionSet) -> Result<Vec<RunningKernel>, CliError> {
    Err(CliError::failed("running gateways cannot be asked on this system, which has no control sockets")
        .help("see `mgp servers --fresh` and `mgp audit`, which need no running gateway"))
}

#[cfg(unix)]
pub(super) use unix::connect_all;

#[cfg(unix)]
mod unix {
    use super::RunningKernel;
    use crate::{
        control::{
            host::CommandHost,
            sockets::{SocketFolder, SocketPath},
        },
        error::CliError,
        exit::Exit,
        output::note,
        setup::Setup,
    };
    use futures_util::future::join_all;
    use mgp_client_sdk::client::{Client, ClientBuilder, RetryPolicy};
    use mgp_types::negotiation::ExtensionSet;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;

    /// The time limit for the handshake with a kernel.
    const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

    /// Connects to every running kernel, or to the one with a process id. If only some answer, the others are named
    /// in notes.
    pub(in crate::control) async fn connect_all(
        setup: &Setup,
        pid: Option<u32>,
        extensions: ExtensionSet,
    ) -> Result<Vec<RunningKernel>, CliError> {
        let folder = SocketFolder::of(&setup.state);
        let sockets = folder.sockets(pid).map_err(|error| {
            CliError::new(Exit::Configuration, format!("failed to look for running gateways: {error}"))
        })?;
        let connecting = sockets.iter().map(|socket| connect(&folder, socket, extensions));
        let (mut kernels, mut silent) = (Vec::new(), Vec::new());
        for connected in join_all(connecting).await {
            match connected {
                Ok(kernel) => kernels.extend(kernel),
                Err(problem) => silent.push(problem),
            }
        }
        if kernels.is_empty()
            && let Some(problem) = silent.first()
        {
            return Err(CliError::new(Exit::Unreachable, problem));
        }
        silent.iter().for_each(|problem| note(problem));
        Ok(kernels)
    }

    /// Connects to the kernel at a socket; `None` if its process is gone.
    async fn connect(
        folder: &SocketFolder,
        socket: &SocketPath,
        extensions: ExtensionSet,
    ) -> Result<Option<RunningKernel>, String> {
        let pid = socket.pid;
        let Some(stream) = folder.connect(socket).await.map_err(|error| silent(pid, &error))? else {
            return Ok(None);
        };
        let (input, output) = stream.split();
        let client = patient(Client::builder("mgp", env!("CARGO_PKG_VERSION")).offer(extensions));
        let client = client.connect(input, output).await.map_err(|error| silent(pid, &error))?;
        Ok(Some(RunningKernel { pid, client, at: socket.clone() }))
    }

    /// Connects to the kernel at a socket as a host of an agent.
    pub(super) async fn connect_host(
        setup: &Setup,
        socket: &SocketPath,
        host: &CommandHost,
        builder: ClientBuilder,
    ) -> Result<Client, CliError> {
        let failed = |problem: &dyn std::fmt::Display| {
            CliError::new(Exit::Unreachable, silent(socket.pid, problem)).help("see `mgp status`")
        };
        let connected = SocketFolder::of(&setup.state).connect(socket).await;
        let stream = connected.map_err(|error| failed(&error))?.ok_or_else(|| failed(&"it is gone"))?;
        let (input, mut output) = stream.split();
        let line = host.line().map_err(|error| failed(&error))?;
        output.write_all(line.as_bytes()).await.map_err(|error| failed(&error))?;
        patient(builder).connect(input, output).await.map_err(|error| failed(&error))
    }

    fn silent(pid: u32, problem: &dyn std::fmt::Display) -> String {
        format!("the gateway of process {pid} does not answer: {problem}")
    }

    /// Removes the client's time limits: the kernel bounds its commands, and the user can end the program.
    fn patient(builder: ClientBuilder) -> ClientBuilder {
        builder
            .timeout(HANDSHAKE_TIMEOUT)
            .request_timeout(Duration::MAX)
            .max_request_timeout(Duration::MAX)
            .retries(RetryPolicy::never())
    }
}
