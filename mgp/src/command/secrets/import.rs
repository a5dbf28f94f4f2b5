//! `mgp secrets import`.

use super::set::record;
use crate::{
    command::connect::{Consent, HostFile},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, on_one_line, print, shown},
    secrets::{AccountSecrets, find_keys, store_keys},
    setup::{Setup, environment},
};
use clap::Args;
use mgp_discovery::{
    config::{Config, KeyPath, replace_values},
    locate::{Origin, config_file},
};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Change the file without asking
    #[arg(long)]
    yes: bool,
    /// Only show the change
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// The result of the command.
#[derive(Serialize)]
struct ImportReport {
    file: PathBuf,
    written: bool,
    keys: Vec<ImportedKey>,
}

#[derive(Serialize)]
struct ImportedKey {
    server: String,
    key: String,
    /// The name in the store.
    name: String,
}

pub(super) async fn import(options: &Options, args: &ImportArgs) -> Result<Outcome, CliError> {
    let environment = environment(options)?;
    let consent = Consent::of(args.yes, args.dry_run, options.json, "secrets import")?;
    let Some(found) = config_file(&environment, &|path| path.is_file()) else {
        return Err(CliError::new(Exit::NotFound, "there is no configuration")
            .help("`mgp init` or `mgp connect` makes one; --config names another"));
    };
    let path = &found.path;
    let secrets = AccountSecrets::new(&environment, Some(&found))?;
    let failed = |error: std::io::Error| secrets.failed(&error);
    let file = HostFile::read(path)?;
    // Values of variables are not needed here.
    let config = Config::parse(path, file.bytes(), &|_| Some(String::new()))?;
    let keys = find_keys(&config.servers, &secrets.store().all().map_err(failed)?);
    let report = |written| ImportReport {
        file: path.clone(),
        written,
        keys: keys
            .iter()
            .map(|key| ImportedKey {
                server: config.servers[key.server].id.clone(),
                key: key.key.to_string(),
                name: key.name.clone(),
            })
            .collect(),
    };
    if keys.is_empty() {
        return Outcome::new(format!("no value in {} looks like a key", path.display()), &report(false));
    }
    if !options.json {
        let lines = keys.iter().map(|key| {
            format!("\n  {}\n    becomes {}", on_one_line(&key.shown()), on_one_line(&key.reference()))
        });
        print(&shown(&format!("{}{}", path.display(), lines.collect::<String>()), false));
    }
    if !consent.asks("Move these keys into the encrypted store?") {
        return Outcome::new("", &report(false));
    }
    let servers = KeyPath::root().key("servers");
    let changes: Vec<_> =
        keys.iter().map(|key| (servers.index(key.server).join(&key.key), key.reference())).collect();
    let text = String::from_utf8_lossy(file.bytes());
    let changed = replace_values(&text, &changes)
        .filter(|text| Config::parse(path, text.as_bytes(), &|_| Some(String::new())).is_ok());
    let Some(changed) = changed else {
        return Err(CliError::new(
            Exit::Configuration,
            format!("{}: failed to replace its keys", path.display()),
        )
        .help("nothing was changed: store each with `mgp secrets set NAME`, and write ${keyring:NAME}"));
    };
    store_keys(secrets.store(), &keys).map_err(failed)?;
    if !file.replace(Some(changed.as_bytes()))? {
        return Err(CliError::failed(format!("{} has changed meanwhile", path.display())).help("try again"));
    }
    let names: Vec<_> = keys.iter().map(|key| key.name.as_str()).collect();
    record(&Setup::load_for_state(options).await, "dev.cloto.mgp.SECRET_STORED", &names).await;
    let mut text = {
        let keys = if keys.len() == 1 { "1 key".to_owned() } else { format!("{} keys", keys.len()) };
        format!("moved {keys} into {}", secrets.store().path().display())
    };
    text.push_str("\nAnybody who could read the file before may know them: renew those that matter.");
    if found.origin == Origin::Project {
        text.push_str("\nThe file has changed: look at it, then run `mgp trust`.");
    }
    Outcome::new(text, &report(true))
}
