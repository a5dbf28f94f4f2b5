//! `mgp trust`: decides which project files may run commands.

use crate::{
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note, printable, table},
    setup::{PolicyFile, environment, parse, trust_folder},
};
use clap::{Args, ValueHint};
use mgp_discovery::{
    config::{Config, ServerConfig, Text, read_bytes},
    locate::{ConfigFile, Origin},
    trust::TrustStore,
};
use serde::Serialize;
use std::path::PathBuf;

/// Let a project's configuration run its commands
///
/// A file in the working directory comes with the project, and its author may not be you. This command shows the
/// commands that it runs, and records its present content. After a change, check it and trust it again.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The file to trust; defaults to ./mgp.toml
    #[arg(value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// List the trusted files instead
    #[arg(long, conflicts_with_all = ["file", "remove"])]
    list: bool,
    /// Stop trusting the file instead
    #[arg(long)]
    remove: bool,
}

#[derive(Serialize)]
struct Change {
    file: PathBuf,
    trusted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

#[derive(Serialize)]
struct TrustedFile {
    file: String,
    sha256: String,
}

#[derive(Serialize)]
struct List {
    trusted: Vec<TrustedFile>,
}

pub(crate) fn run(options: &Options, args: TrustArgs) -> Result<Outcome, CliError> {
    let environment = environment(options)?;
    let store = TrustStore::in_folder(&trust_folder(&environment)?);
    if args.list {
        return list(&store);
    }
    let path = environment.absolute(args.file.unwrap_or_else(|| PathBuf::from("mgp.toml")));
    if args.remove {
        if !store.forget(&path)? {
            return Err(CliError::new(Exit::NotFound, format!("{} was not trusted", path.display())));
        }
        // The policy file's trust ends, too. A record of a policy file that is no longer named stays, without effect.
        if let Ok(bytes) = read_bytes(&path)
            && let Ok(loaded) =
                parse(&environment, ConfigFile { path: path.clone(), origin: Origin::Project }, &bytes)
            && let Some(policy) = &loaded.policy
        {
            store.forget(policy.path())?;
        }
        let text = format!("{} may no longer run commands", path.display());
        return Outcome::new(text, &Change { file: path, trusted: false, sha256: None });
    }
    let bytes = read_bytes(&path).map_err(|error| {
        if path.is_file() {
            error.into()
        } else {
            CliError::new(Exit::NotFound, format!("there is no file {}", path.display()))
                .help("name the file: `mgp trust FILE`")
        }
    })?;
    let loaded = parse(&environment, ConfigFile { path: path.clone(), origin: Origin::Project }, &bytes)?;
    // A policy file with errors is not trusted: the author of the file sees the error here.
    let policy = loaded.policy.as_ref();
    let policies = policy.map(|policy| policy.policies(&loaded.config)).transpose()?;
    if let Some((path, bytes)) = policy.and_then(PolicyFile::content).filter(|_| policies.is_some()) {
        store.trust(path, bytes)?;
    }
    let hash = store.trust(&path, &bytes)?;
    let by =
        policy.map(|policy| format!("\nagents may call by the policies of:\n  {}", policy.path().display()));
    let text =
        format!("{}\nmay run:\n{}{}", path.display(), commands(&loaded.config), by.unwrap_or_default());
    Outcome::new(text, &Change { file: path, trusted: true, sha256: Some(hash.to_string()) })
}

/// Returns a line for each server of the file, with its command or URL.
fn commands(config: &Config) -> String {
    if config.servers.is_empty() {
        return "  nothing: it has no servers".to_owned();
    }
    config.servers.iter().map(command).collect::<Vec<_>>().join("\n")
}

fn command(server: &ServerConfig) -> String {
    let mut words = vec![format!("  {}:", server.id)];
    let written = server.command.iter().chain(&server.args).chain(&server.url).map(Text::written);
    // A word with line breaks is shown on one line, so that none looks like another server.
    words.extend(written.map(|word| printable(word).replace('\n', "\\n")));
    if server.disabled {
        words.push("(disabled)".to_owned());
    }
    let mut line = words.join(" ");
    // The server gets these secrets, whatever it does with them.
    server.clone().for_each_secret(&mut |key, value| {
        if value.text().sources().next().is_some() {
            line.push_str(&format!("\n    {key} = {}", printable(value.written()).replace('\n', "\\n")));
        }
    });
    line
}

fn list(store: &TrustStore) -> Result<Outcome, CliError> {
    let files = store.files()?.into_iter();
    let trusted: Vec<_> =
        files.map(|(file, sha256)| TrustedFile { file, sha256: sha256.to_string() }).collect();
    if trusted.is_empty() {
        note("no file is trusted");
        return Outcome::new("", &List { trusted });
    }
    let rows = trusted.iter().map(|trusted| [trusted.file.clone(), trusted.sha256.clone()]);
    let text = table(["file", "sha256"], rows);
    Outcome::new(text, &List { trusted })
}
