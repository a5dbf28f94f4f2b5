//! The arguments and the steps of `mgp add`.

use super::{
    report::{AddReport, after, before, line, needs},
    source::{FoundServer, find},
    trial::try_out,
};
use crate::{
    command::{
        connect::{Consent, GatewayFile},
        init::{confine, file, obstacle, sources::Servers, take_variables},
        secrets::{KeyMover, SecretsChoiceArgs},
    },
    error::CliError,
    options::Options,
    output::{Outcome, print},
    setup::{Setup, environment},
};
use clap::{Args, ValueHint};
use mgp_discovery::{
    config::{Config, ServerConfinement},
    locate::{Environment, user_config_file},
};
use mgp_security::confine::ConfinementMode;
use mgp_types::context::TrustLevel;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// Add a server: show what it is, try it, and write it into the configuration
///
/// NAME is npx:PACKAGE, uvx:PACKAGE, dnx:PACKAGE, docker:IMAGE, a URL, or the name of an entry in the public registry of MCP servers,
/// such as com.example/notes. Asks before the server is run, and before it is written. A server of a package is confined where this system
/// can do it. A running gateway takes it over at once.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The name of the server
    pub(super) name: String,
    /// The id of the server; defaults to the last part of its name
    #[arg(long, value_name = "ID", value_parser = crate::options::server_id)]
    pub(super) id: Option<String>,
    /// Set an environment variable of the server; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::options::variable)]
    pub(super) env: Vec<(String, String)>,
    /// Give a value that the entry of a registry asks for, of a variable, an argument or a header; for a URL, set a header; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::options::variable)]
    pub(super) set: Vec<(String, String)>,
    /// Choose one of the registry's ways to run or reach the server, counted from 1; defaults to the first usable one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) way: Option<u8>,
    /// The server at the URL asks its user to log in
    #[arg(long)]
    pub(super) oauth: bool,
    /// Let the server do whatever this account may do
    #[arg(long)]
    unconfined: bool,
    /// Write the server without a trial
    #[arg(long)]
    no_trial: bool,
    /// Run and write the server without asking
    #[arg(long)]
    yes: bool,
    /// Only show the server; run and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Run the server without asking, show its tools, and write nothing
    #[arg(long = "try", conflicts_with_all = ["yes", "dry_run", "no_trial", "oauth"])]
    only_try: bool,
    #[command(flatten)]
    secrets: SecretsChoiceArgs,
    /// The URL of the registry; defaults to discovery.registry of the configuration, then the public one
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) registry: Option<String>,
    /// The arguments of a package
    #[arg(last = true, value_name = "ARGS")]
    pub(super) args: Vec<String>,
}

pub(crate) async fn run(options: &Options, args: AddArgs) -> Result<Outcome, CliError> {
    let consent =
        Consent::of(args.yes || args.only_try, args.dry_run, options.json, &format!("add {}", args.name))?;
    let environment = environment(options)?;
    let path = destination(&environment, options)?;
    let mut gateway = GatewayFile::read(path.clone(), options.agent.as_deref().unwrap_or("local"))?;
    let mut found = find(&with_file(options, &path), &args).await?;
    let mut remarks = confined(&mut found, &environment, args.unconfined).await;
    remarks.extend(with_inherited(&mut found, &environment));
    let missing = needs(&found);
    let mut report = AddReport {
        id: found.server.id.clone(),
        title: found.title.clone(),
        runs: line(&found.server),
        needs: missing,
        tried: None,
        file: path,
        written: false,
        remarks: Vec::new(),
    };
    if !options.json {
        print(&before(&found, &remarks));
    }
    if consent == Consent::DryRun {
        report.remarks = remarks;
        return Outcome::new("nothing was run or written", &report);
    }
    if !report.needs.is_empty() && !args.no_trial {
        return Err(CliError::usage(format!("it needs {}", report.needs.join(", ")))
            .help("give each value, or add the server as it is with --no-trial"));
    }
    if args.oauth {
        remarks.push("it is not tried, because a user has to log in: the first call asks for it".to_owned());
    } else if !args.no_trial {
        if !consent.asks("Run it to see its tools?") {
            return Outcome::new("nothing was run or written", &report);
        }
        let setup = Setup::load_for_state(&with_file(options, &gateway.path)).await?;
        let config = alone(&environment, &gateway.path, &found)?;
        let tried = Box::pin(try_out(config, &setup, &gateway.path)).await.map_err(|error| {
            error.help("nothing was written; --no-trial writes it as it is, --unconfined lets it do whatever this account may")
        })?;
        if !options.json {
            print(&after(&tried));
        }
        report.tried = Some(tried);
    }
    if args.only_try {
        report.remarks = remarks;
        return Outcome::new("nothing was written", &report);
    }
    let question = format!("Add it to {} as {:?}?", gateway.path.display(), report.id);
    if !consent.asks(&question) {
        return Outcome::new("nothing was written", &report);
    }
    let servers = Servers { servers: vec![found.server], ..Servers::default() };
    let mut keys = KeyMover::new(&environment, &args.secrets, consent == Consent::Ask, true)?;
    gateway.add(&environment, "mgp add", servers, &mut keys)?;
    let Some(id) = gateway.added.first().cloned() else {
        return Outcome::new("it is there already: nothing was written", &report);
    };
    let written = gateway.write();
    keys.record(options, &gateway.path).await;
    written?;
    // Those about the environment were shown before.
    remarks.extend(gateway.remarks.drain(..).filter(|remark| !remarks.contains(remark)).collect::<Vec<_>>());
    report.written = true;
    report.remarks = remarks;
    let text = format!(
        "{id} is in {}; a running gateway starts it at once, and `mgp servers explain {id}` shows what it may do",
        gateway.path.display()
    );
    report.id = id;
    Outcome::new(text, &report)
}

/// Returns the path of the file to write: the one given with `--config`, or the user's own.
fn destination(environment: &Environment, options: &Options) -> Result<PathBuf, CliError> {
    let named = options.config.as_ref().map(|path| environment.absolute(path));
    named.or_else(|| user_config_file(environment)).ok_or_else(|| {
        CliError::new(crate::exit::Exit::Configuration, "this account has no folder for settings")
            .help("name a file with --config")
    })
}

/// Confines a server, unless it should not be or cannot be confined. Returns remarks about that.
async fn confined(found: &mut FoundServer, environment: &Environment, unconfined: bool) -> Vec<String> {
    let mgp = found.server.mgp.get_or_insert_default();
    if unconfined {
        mgp.trust_level = Some(TrustLevel::Standard);
        let mode = Some(ConfinementMode::Off);
        found.server.confinement = Some(ServerConfinement { mode, ..ServerConfinement::default() });
        return vec!["it is not confined: it may do whatever this account may".to_owned()];
    }
    let path = environment.variable("PATH").map(OsStr::new);
    let mut servers = Servers { servers: vec![found.server.clone()], ..Servers::default() };
    let confined = confine(&mut servers, path, obstacle().await.as_deref());
    if let Some(server) = servers.servers.pop() {
        found.server = server;
    }
    if confined.is_empty() && found.server.command.is_some() {
        // A sandboxed server only runs confined.
        found.server.mgp.get_or_insert_default().trust_level = Some(TrustLevel::Standard);
    }
    servers.remarks
}

/// Makes a server inherit the variables that it probably needs. Returns remarks about that.
fn with_inherited(found: &mut FoundServer, environment: &Environment) -> Vec<String> {
    let mut servers = Servers { servers: vec![found.server.clone()], ..Servers::default() };
    take_variables(environment, &mut servers);
    if let Some(server) = servers.servers.pop() {
        found.server = server;
    }
    servers.remarks
}

/// Returns the options without a configuration that is not made yet.
fn with_file(options: &Options, path: &Path) -> Options {
    let config = options.config.clone().filter(|_| path.exists());
    Options { config, ..options.clone() }
}

/// Returns a configuration with only this server.
fn alone(environment: &Environment, path: &Path, found: &FoundServer) -> Result<Config, CliError> {
    let text = file::text("local", std::slice::from_ref(&found.server), &BTreeMap::new())?;
    let config = Config::parse(path, text.as_bytes(), &|name| environment.variables.get(name).cloned())?;
    match config.servers.iter().find_map(|server| server.fault.clone()) {
        Some(fault) => Err(CliError::new(crate::exit::Exit::Configuration, fault)),
        None => Ok(config),
    }
}
