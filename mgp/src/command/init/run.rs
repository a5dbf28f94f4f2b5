//! The arguments and the work of `mgp init`.

use super::{
    confine::{confine, obstacle, offer},
    environment::NeededVariables,
    file,
    sources::{Servers, read, sources, unread, without_forms},
    stateful::separate,
    trial::trial,
};
use crate::{
    command::secrets::{KeyMover, SecretsChoiceArgs},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note},
    setup::{environment, trust_folder},
    terminal,
};
use clap::{Args, ValueHint};
use mgp_discovery::{
    config::{Config, PermissionsConfig, ServerConfig},
    locate::{Environment, user_config_file},
    trust::TrustStore,
};
use mgp_security::confine::ProgramFiles;
use serde::Serialize;
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};

/// Make a configuration from the servers of other hosts
///
/// Reads the server lists of the hosts that `mgp connect` knows, or a file with `mcpServers`. Writes a configuration
/// with a local agent that may use these servers. The hosts' own files are not changed: `mgp connect` changes them, too.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// A host, such as claude-code or cursor, or a file; may be given several times
    #[arg(long, value_name = "HOST|FILE", value_hint = ValueHint::FilePath)]
    from: Vec<String>,
    /// Write the user's own file; this is the default
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Write ./mgp.toml, and trust it
    #[arg(long)]
    project: bool,
    /// Let the operating system confine the servers to the paths in their settings, and try whether they start so
    #[arg(long)]
    confine: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    secrets: SecretsChoiceArgs,
}

#[derive(Serialize)]
struct InitReport {
    file: PathBuf,
    written: bool,
    agent: String,
    servers: Vec<String>,
    /// The servers that are confined.
    confined: Vec<String>,
    remarks: Vec<String>,
    host_configuration: HostConfiguration,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The entry for a host's own configuration.
#[derive(Serialize)]
struct HostConfiguration {
    #[serde(rename = "mcpServers")]
    servers: HostServers,
}

#[derive(Serialize)]
struct HostServers {
    mgp: HostServer,
}

#[derive(Serialize)]
struct HostServer {
    command: String,
    args: [String; 3],
}

pub(crate) async fn run(options: &Options, args: &InitArgs) -> Result<Outcome, CliError> {
    let environment = environment(options)?;
    let agent = options.agent.clone().unwrap_or_else(|| "local".to_owned());
    let path = destination(&environment, options, args)?;
    let sources = sources(&environment, &args.from, args.project)?;
    let mut found = read(&sources)?;
    found.remarks.extend(unread(&environment, &args.from, args.project, "mgp init --project"));
    if found.servers.is_empty() {
        for remark in &found.remarks {
            note(remark);
        }
        let error = CliError::new(Exit::NotFound, "no host here has a server that could be imported");
        return Err(
            error.help("name a file with `mcpServers`: `mgp init --from FILE`; or look at `mgp demo` first")
        );
    }
    let wait = Duration::from_millis(PermissionsConfig::default().wait_ms);
    found.remarks.extend(without_forms(&sources, wait));
    take_variables(&environment, &mut found);
    separate(&mut found);
    let confined = if args.confine {
        let path = environment.variable("PATH").map(OsStr::new);
        confine(&mut found, path, obstacle().await.as_deref())
    } else {
        offer(&mut found);
        Vec::new()
    };
    if !args.dry_run {
        // Before keys move: the file may be there already.
        file::may_write(&path, args.force)?;
    }
    let asks = terminal::is_attached() && !options.json && !args.dry_run;
    let mut keys = KeyMover::new(&environment, &args.secrets, asks, !args.dry_run)?;
    found.remarks.extend(keys.take(&mut found.servers)?);
    let text = file::text(&agent, &found.servers, &found.offered)?;
    let absent = check(&environment, &path, &text, &mut found);
    if !args.dry_run {
        let written = file::write(&path, &text);
        if args.project && written.is_ok() {
            TrustStore::in_folder(&trust_folder(&environment)?).trust(&path, text.as_bytes())?;
        }
        keys.record(options, &path).await;
        written?;
        let tried: Vec<_> = confined.iter().filter(|id| !absent.contains(id)).cloned().collect();
        found.remarks.extend(Box::pin(trial(options, &path, &tried)).await);
    }
    let done = InitReport {
        host_configuration: HostConfiguration::new(&path),
        file: path,
        written: !args.dry_run,
        agent,
        servers: found.servers.iter().map(|server| server.id.clone()).collect(),
        confined,
        remarks: found.remarks,
        text: args.dry_run.then(|| text.clone()),
    };
    let shown = if args.dry_run { text } else { report(&done, args.project) };
    for remark in done.remarks.iter().filter(|_| args.dry_run) {
        note(remark);
    }
    Outcome::of_data(shown, &done)
}

/// Returns the path of the file to write: the project's, the one given with `--config`, or the user's own.
fn destination(environment: &Environment, options: &Options, args: &InitArgs) -> Result<PathBuf, CliError> {
    if args.project {
        return Ok(environment.absolute("mgp.toml"));
    }
    if let Some(path) = options.config.as_ref().filter(|_| !args.user) {
        return Ok(environment.absolute(path));
    }
    user_config_file(environment).ok_or_else(|| {
        CliError::new(Exit::Configuration, "this account has no folder for settings")
            .help("name a file with --config")
    })
}

/// Makes the servers inherit the variables that they probably need, and remarks on those that are secrets.
pub(in crate::command) fn take_variables(environment: &Environment, found: &mut Servers) {
    for server in &mut found.servers {
        let NeededVariables { names, secrets } = NeededVariables::of(server, &environment.variables);
        if !secrets.is_empty() {
            let text = secrets.join(", ");
            found
                .remarks
                .push(format!("{} does not get {text}: add what it needs to its inherit", server.id));
        }
        if !names.is_empty() {
            found.remarks.push(format!(
                "{} gets {} from the environment (inherit)",
                server.id,
                names.join(", ")
            ));
            server.inherit.extend(names);
            server.inherit.sort();
            server.inherit.dedup();
        }
    }
}

/// Adds a remark for each problem of the new file, and for each server that would be off, for example because a variable is not set. Returns
/// the ids of the servers whose program does not exist.
pub(in crate::command) fn check(
    environment: &Environment,
    path: &Path,
    text: &str,
    found: &mut Servers,
) -> Vec<String> {
    let mut absent = Vec::new();
    match Config::parse(path, text.as_bytes(), &|name| environment.variables.get(name).cloned()) {
        Ok(config) => {
            for server in &config.servers {
                if let Some(fault) = &server.fault {
                    found.remarks.push(format!("{} is off until this is fixed: {fault}", server.id));
                } else if let Some(program) = missing_program(server, environment) {
                    found.remarks.push(format!(
                        "{} will not start: {program}; install it, or name its path in command",
                        server.id
                    ));
                    absent.push(server.id.clone());
                }
            }
        }
        Err(error) => {
            for problem in error.problems() {
                let line = problem.line();
                found.remarks.push(format!("fix this before the first start: line {line}: {problem}"));
            }
        }
    }
    absent
}

/// Returns the sentence about a server's program, if there is no such program.
fn missing_program(server: &ServerConfig, environment: &Environment) -> Option<String> {
    let program = server.command.as_ref()?.value();
    let path = server.env.get("PATH").map(|path| path.reveal().to_owned());
    let path = path.or_else(|| environment.variable("PATH").map(str::to_owned));
    let args: Vec<String> = server.args.iter().map(|arg| arg.value().to_owned()).collect();
    let cwd = server.cwd.as_ref().map(|cwd| Path::new(cwd.value()));
    // Windows also finds programs by the endings of their names.
    let is_found = cfg!(not(unix))
        || !ProgramFiles::find(program, &args, cwd, path.as_deref().map(OsStr::new)).executable.is_empty();
    (!is_found).then(|| match program.contains('/') {
        true => format!("its program {program} does not exist"),
        false => format!("its program {program} is not in PATH"),
    })
}

impl HostConfiguration {
    /// Creates an entry with absolute paths of the program and the file. A host may start its servers in another folder and with
    /// another search path than a terminal.
    fn new(file: &Path) -> Self {
        let program =
            crate::installation::lasting_program().ok().and_then(|path| path.to_str().map(str::to_owned));
        let args = ["serve".to_owned(), "--config".to_owned(), file.display().to_string()];
        let command = program.unwrap_or_else(|| "mgp".to_owned());
        Self { servers: HostServers { mgp: HostServer { command, args } } }
    }
}

fn report(done: &InitReport, project: bool) -> String {
    let mut lines = vec![format!("wrote {}", done.file.display())];
    lines.push(format!("  servers: {}", done.servers.join(", ")));
    lines.push(format!("  agent {:?} may use all of them; change that with `mgp access`", done.agent));
    lines.push(
        "  for anything else that a server needs, you are asked at the host or with `mgp approve`".to_owned(),
    );
    lines.push("  only you can read the file".to_owned());
    if project {
        lines.push("  the file is trusted as it is now; after a change, run `mgp trust`".to_owned());
    }
    lines.extend(done.remarks.iter().map(|remark| format!("  {remark}")));
    lines.push(String::new());
    lines.push(
        "Next: see whether the servers come up with `mgp servers`, then put this into your host's".to_owned(),
    );
    lines.push("configuration, in the place of the servers that were imported:".to_owned());
    lines.push(String::new());
    lines.push(serde_json::to_string_pretty(&done.host_configuration).unwrap_or_default());
    lines.join("\n")
}
