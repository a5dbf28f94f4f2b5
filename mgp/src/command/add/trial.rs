//! A start of a server that is not in the configuration yet.

use crate::{error::CliError, exit::Exit, setup::Setup, signals::Signals, wait};
use mgp_discovery::config::Config;
use mgp_kernel::Kernel;
use mgp_types::{
    context::RiskLevel,
    json::RawObject,
    lifecycle::{RestartPolicy, ServerState},
};
use serde::Serialize;
use std::{path::Path, sync::Arc};

/// A tool of a server that was tried.
#[derive(Debug, Serialize)]
pub(super) struct TriedTool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) risk: RiskLevel,
}

/// The offers of a server that was tried.
#[derive(Debug, Serialize)]
pub(super) struct TriedServer {
    pub(super) tools: Vec<TriedTool>,
    /// The permissions that the server declares.
    pub(super) permissions: Vec<String>,
}

/// Starts the only server of a configuration in a kernel of its own, and ends it again. It may not use `file`, to which it is to be added. Nothing is stored but the server's private folder
/// in the state folder.
///
/// # Errors
/// If the server does not start, with the reason.
pub(super) async fn try_out(mut config: Config, setup: &Setup, file: &Path) -> Result<TriedServer, CliError> {
    for server in &mut config.servers {
        let mut settings = server.settings().into_owned();
        settings.restart_policy = RestartPolicy::Never;
        server.mgp = Some(settings);
    }
    let mut signals = Signals::listen()?;
    let builder = Kernel::builder().configure(&config)?.state_folder(setup.state.path());
    let kernel = builder
        .program(|program| {
            (program.single_command, program.asleep) = (true, true);
            program.files.clone_from(&setup.kernel_files);
            program.files.push(file.to_owned());
            program.secrets = Some(Arc::new(setup.secrets.clone()));
        })
        .start()
        .await
        .map_err(|error| CliError::failed(error.to_string()))?;
    let servers = kernel.servers();
    tokio::select! {
        () = wait::for_servers(&servers) => {}
        () = signals.next() => {}
    }
    let tried = servers.first().map(|server| match server.status() {
        status if status.state == ServerState::Connected => Ok(offers(&kernel)),
        // A server that is not in the configuration cannot be explained.
        status => {
            let advice = format!("; `mgp servers explain {}` shows what it may do", server.id());
            Err(status.reason.replace(&advice, ""))
        }
    });
    kernel.shutdown().await;
    match tried {
        Some(Ok(tried)) => Ok(tried),
        Some(Err(reason)) => Err(CliError::new(Exit::Unreachable, format!("it does not start: {reason}"))),
        None => Err(CliError::failed("it is not among the servers of its configuration")),
    }
}

fn offers(kernel: &Kernel) -> TriedServer {
    let registry = kernel.registry();
    let known = registry.iter();
    let names = known.clone().flat_map(|server| server.tools.iter());
    let tool = |name: &str| {
        let judged = kernel.operator().judged_tool(name)?;
        let definition = RawObject::from_json(&judged.definition).ok()?;
        let description = definition.text("description").unwrap_or_default();
        Some(TriedTool { name: name.to_owned(), description, risk: judged.profile.risk })
    };
    TriedServer {
        tools: names.filter_map(|name| tool(name)).collect(),
        permissions: known.flat_map(|server| &server.permissions).map(ToString::to_string).collect(),
    }
}
