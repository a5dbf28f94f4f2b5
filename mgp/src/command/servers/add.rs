//! `mgp servers add`: registers a server beside the configuration.

use crate::{
    args::Options,
    error::CliError,
    output::Outcome,
    setup::{Setup, operator},
};
use clap::{Args, ValueHint};
use mgp_discovery::registration::Registration;
use mgp_types::discovery::{RegisterServerParams, ServerDeclaration};
use serde::Serialize;
use std::collections::BTreeMap;

/// Register a server beside those of the configuration
///
/// It is sandboxed, and its tools need grants and permissions like any other's. Running kernels start it at once.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The id that it will have
    id: String,
    /// Its URL, over HTTP
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "command", required_unless_present = "command")]
    url: Option<String>,
    /// A variable of its environment, as it is; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, conflicts_with = "url")]
    env: Vec<(String, String)>,
    /// A permission that all of its tools need; may be given several times
    #[arg(long, value_name = "NAME")]
    permission: Vec<String>,
    /// The reason, for those who read the trail later
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The program to start, and its arguments
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
}

#[derive(Serialize)]
struct AddedServer<'a> {
    id: &'a str,
    trust_level: &'static str,
    created_by: &'a str,
    created_at: &'a str,
}

pub(super) async fn run(options: &Options, args: AddArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options)?;
    let log = setup.audit()?;
    let registrar = setup.registrar(&log).await?;
    let added = registrar.register(&operator(), Ok(params(args)?)).await;
    log.flush().await.map_err(CliError::failed)?;
    let added = added.map_err(|error| {
        let help = "see the servers that there are with `mgp servers`, and the rules for them in docs/configuration.md";
        CliError::from(error).help(help)
    })?;
    let text = format!(
        "{0} is registered, and sandboxed\n  let an agent use it: `mgp access grant AGENT {0}`; see whether it comes up: `mgp servers`",
        added.id()
    );
    let Registration { server, created_by, created_at, .. } = &added;
    Outcome::new(
        text,
        &AddedServer { id: &server.id, trust_level: Registration::TRUST.as_str(), created_by, created_at },
    )
}

fn params(args: AddArgs) -> Result<RegisterServerParams, CliError> {
    let AddArgs { id, url, env, permission, reason, command } = args;
    let mut variables = BTreeMap::new();
    for (name, value) in env {
        if variables.insert(name.clone(), value).is_some() {
            return Err(CliError::usage(format!("--env {name} is given twice: expected each variable once")));
        }
    }
    let mut command = command.into_iter();
    let program = command.next();
    let stdio = program.is_some();
    Ok(RegisterServerParams {
        id,
        command: program,
        args: stdio.then(|| command.collect()),
        env: stdio.then_some(variables),
        transport: if stdio { "stdio" } else { "http" }.to_owned(),
        url,
        mgp: Some(ServerDeclaration {
            permissions_required: Some(permission),
            ..ServerDeclaration::default()
        }),
        created_by: None,
        justification: reason,
    })
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if name.is_empty() {
        return Err("expected a name before the '='".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}
