//! `mgp servers add`: registers a server in addition to the configured ones.

use crate::{
    command::add::line,
    error::CliError,
    operator::operator,
    options::Options,
    output::{Outcome, on_one_line},
    setup::Setup,
};
use clap::{Args, ValueHint};
use mgp_discovery::{
    config::{ServerConfig, Text},
    registration::Registration,
};
use mgp_kernel::command_word;
use mgp_security::confine::{ProgramFiles, behind_shim, loads_package};
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
    /// Only show the server; register nothing
    #[arg(long)]
    dry_run: bool,
    /// The program to start, with its arguments
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
}

#[derive(Serialize)]
struct AddedServer<'a> {
    id: &'a str,
    trust_level: &'static str,
    created_by: &'a str,
    /// The time of the registration; `None` if nothing was registered.
    created_at: Option<&'a str>,
    /// The command or the URL.
    runs: String,
    /// The names of the variables that are set.
    variables: Vec<&'a str>,
    /// The declared permissions that an operator has not decided yet.
    waits_for: Vec<String>,
    /// The remarks about its program.
    remarks: Vec<String>,
    /// True if the server was registered.
    written: bool,
}

pub(super) async fn run(options: &Options, args: AddArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let log = setup.audit()?;
    let registrar = setup.registrar(&log).await?;
    let dry_run = args.dry_run;
    let params = params(args)?;
    let id = params.id.clone();
    let added = if dry_run {
        registrar.check(&operator(), params).await
    } else {
        let added = registrar.register(&operator(), Ok(params)).await;
        log.flush().await.map_err(CliError::failed)?;
        added
    };
    let added = added.map_err(|error| {
        let help = advice(&setup, &id, &error);
        CliError::from(error).help(help)
    })?;
    let undecided = registrar.undecided(&added);
    let text = if dry_run { planned(&added, &undecided) } else { registered(&added, &undecided) };
    let Registration { server, created_by, created_at, .. } = &added;
    Outcome::new(
        text,
        &AddedServer {
            id: &server.id,
            trust_level: Registration::TRUST.as_str(),
            created_by,
            created_at: (!dry_run).then_some(created_at.as_str()),
            runs: line(server),
            variables: server.env.keys().map(String::as_str).collect(),
            waits_for: undecided.iter().map(ToString::to_string).collect(),
            remarks: remarks(server),
            written: !dry_run,
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
    lines.extend(remarks(server).iter().map(|remark| format!("  {}", on_one_line(remark))));
    if !undecided.is_empty() {
        let names = names(undecided);
        lines.push(format!("  it waits for {names}: `mgp approve {id}` approves all of them"));
    }
    lines.push(format!(
        "  let an agent use it: `mgp access grant AGENT {id}`; see whether it comes up: `mgp servers`"
    ));
    lines.join("\n")
}

/// Returns the text about a server that would be registered. `undecided` are the permissions that it would wait for.
fn planned(registration: &Registration, undecided: &[Permission]) -> String {
    let server = &registration.server;
    let mut lines = vec![format!("{} would be registered, and sandboxed", server.id)];
    let verb = if server.command.is_some() { "runs" } else { "is reached at" };
    lines.push(format!("  {verb}: {}", on_one_line(&line(server))));
    if !server.env.is_empty() {
        let names: Vec<_> = server.env.keys().map(String::as_str).collect();
        lines.push(format!("  sets the variables {}", on_one_line(&names.join(", "))));
    }
    lines.extend(remarks(server).iter().map(|remark| format!("  {}", on_one_line(remark))));
    if !undecided.is_empty() {
        lines.push(format!("  it would wait for {}", names(undecided)));
    }
    lines.push("nothing was written".to_owned());
    lines.join("\n")
}

/// Returns the remarks about a server's program, as it is found from here.
fn remarks(server: &ServerConfig) -> Vec<String> {
    let Some(command) = server.command.as_ref().map(Text::value) else { return Vec::new() };
    let args: Vec<_> = server.args.iter().map(|arg| arg.value().to_owned()).collect();
    let mut remarks = Vec::new();
    if loads_package(command, &args) {
        remarks.push(
            "its command loads a package: it may reach the registries of npm and PyPI, and start programs"
                .to_owned(),
        );
    }
    let files = ProgramFiles::find(command, &args, None, std::env::var_os("PATH").as_deref());
    if files.executable.is_empty() {
        remarks.push(format!("its program {command} is not found in the PATH of this command"));
    }
    remarks.extend(files.named.iter().find_map(|path| {
        let printed = behind_shim(path)?;
        Some(format!(
            "{} starts other programs, which a confined server may not: give the program that `{printed}` prints",
            path.display()
        ))
    }));
    remarks
}

fn names(permissions: &[Permission]) -> String {
    let names: Vec<_> = permissions.iter().map(ToString::to_string).collect();
    on_one_line(&names.join(", "))
}

fn params(args: AddArgs) -> Result<RegisterServerParams, CliError> {
    let AddArgs { id, url, env, permission, reason, dry_run: _, command } = args;
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
