//! `mgp servers remove`: removes a registered server.

use crate::{
    error::CliError, exit::Exit, meant::question, operator::operator, options::Options, output::Outcome,
    setup::Setup,
};
use clap::Args;
use mgp_types::discovery::{DeregisterServerParams, DeregisterServerResult};

/// Remove a registered server, and the grants for it
///
/// Running gateways let its calls end, and then stop it. To remove a server of the configuration, edit the file.
#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// The id of the server
    id: String,
    /// The reason, recorded in the audit trail
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(super) async fn run(options: &Options, args: RemoveArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let log = setup.audit()?;
    let registrar = setup.registrar(&log).await?;
    let params = DeregisterServerParams { id: args.id, reason: args.reason };
    let removed = registrar.deregister(&operator(), Ok(params)).await;
    if let Ok((id, true)) = &removed {
        // A kernel that runs the server does this when it stops the server, but no kernel may be running.
        setup.definitions(&log).await?.forget(id, None, &operator()).await?;
    }
    log.flush().await.map_err(CliError::failed)?;
    let (id, removed) = removed?;
    if !removed {
        let registered = setup.registered().await?;
        let question = question(&id, registered.iter().map(String::as_str));
        let error = CliError::new(Exit::NotFound, format!("no server {id:?} is registered"));
        return Err(error.help(format!("{question}see them with `mgp servers`")));
    }
    let text = format!("{id} is not registered any more; running gateways stop it");
    Outcome::new(text, &DeregisterServerResult { id, removed })
}
