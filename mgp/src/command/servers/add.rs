//! `mgp servers add`: registers a server in addition to the configured ones.

use crate::{
    error::CliError,
    operator::operator,
    options::Options,
    output::{Outcome, on_one_line},
    setup::Setup,
};
use clap::{Args, ValueHint};
use mgp_discovery::{config::Text, registration::Registration};
use mgp_kernel::command_word;
use mgp_security::confine::loads_package;
use mgp_types::{
    discovery::{RegisterServerParams, ServerDeclaration},
    error::ErrorCode,
    permission::Permission,
    rpc::ErrorObject,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Register a server in addition to those of the configuration
///
/// The server is sandboxed, and its tools need grants and permissions like any others. Running gateways start it at
/// once.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The id of the server
    id: String,
    /// The URL of a server over HTTP
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "command", required_unless_present = "command")]
    url: Option<String>,
    /// Set an environment variable of the server, to the exact value; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::options::variable, conflicts_with = "url")]
    env: Vec<(String, String)>,
    /// A permission that all tools of the server need; may be given several times
    #[arg(long, value_name = "NAME")]
    permission: Vec<String>,
    /// The reason, recorded in the audit trail
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The program to start, with its arguments
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
}

#[derive(Serialize)]
struct AddedServer<'a> {
    id: &'a str,
    trust_level: &'static str,
    created_by: &'a str,
    created_at: &'a str,
    /// The declared permissions that an operator has not decided yet.
    waits_for: Vec<String>,
}

pub(super) async fn run(options: &Options, args: AddArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let log = setup.audit()?;
    let registrar = setup.registrar(&log).await?;
    let params = params(args)?;
    let id = params.id.clone();
    let added = registrar.register(&operator(), Ok(params)).await;
    log.flush().await.map_err(CliError::failed)?;
    let added = added.map_err(|error| {
        let help = advice(&setup, &id, &error);
        CliError::from(error).help(help)
    })?;
    let undecided = registrar.undecided(&added);
    let text = registered(&added, &undecided);
    let Registration { server, created_by, created_at, .. } = &added;
    Outcome::new(
        text,
        &AddedServer {
            id: &server.id,
            trust_level: Registration::TRUST.as_str(),
            created_by,
            created_at,
            waits_for: undecided.iter().map(ToString::to_string).collect(),
        },
    )
}

/// Returns the advice for a server that could not be registered.
fn advice(setup: &Setup, id: &str, error: &ErrorObject) -> String {
    let configured =
        setup.loaded.as_ref().filter(|loaded| loaded.config.servers.iter().any(|server| server.id == id));
    match configured {
        _ if error.code != i64::from(ErrorCode::ServerAlreadyRegistered) => {
            "see the servers that there are with `mgp servers`, and the rules for them in docs/configuration.md".to_owned()
        }
        Some(loaded) => format!("change it in {}, or choose another id", loaded.file.path.display()),
        None => format!(
            "to replace it, run `mgp servers remove {}` first, which also removes its grants; or choose another id",
            command_word(id)
        ),
    }
}

/// Returns the text about a server that an operator registered: its access, and the commands to run next. `undecided` are the permissions that
/// the server waits for.
pub(crate) fn registered(registration: &Registration, undecided: &[Permission]) -> String {
    let server = &registration.server;
    let id = command_word(&server.id);
    let mut lines = vec![format!("{} is registered, and sandboxed", server.id)];
    let args: Vec<_> = server.args.iter().map(Text::value).collect();
    if server.command.as_ref().is_some_and(|command| loads_package(command.value(), &args)) {
        lines.push(
            "  its command loads a package: it may reach the registries of npm and PyPI, and start programs"
                .to_owned(),
        );
    }
    if !undecided.is_empty() {
        let names: Vec<_> = undecided.iter().map(ToString::to_string).collect();
        let names = on_one_line(&names.join(", "));
        lines.push(format!("  it waits for {names}: `mgp approve {id}` approves all of them"));
    }
    lines.push(format!(
        "  let an agent use it: `mgp access grant AGENT {id}`; see whether it comes up: `mgp servers`"
    ));
    lines.join("\n")
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
