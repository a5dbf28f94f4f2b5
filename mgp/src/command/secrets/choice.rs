//! The choice whether keys in imported servers stay, or move into the store.

use super::set::record;
use crate::{
    error::CliError,
    options::Options,
    secrets::{AccountSecrets, find_keys, replace_keys, store_keys, with_secrets},
    setup::Setup,
    terminal::ask_on_stderr,
};
use clap::{Args, ValueEnum};
use mgp_discovery::{config::ServerConfig, locate::Environment};
use mgp_store::secrets::SecretStore;
use std::{collections::BTreeMap, path::Path};

/// The option of commands that import servers.
#[derive(Debug, Args)]
pub(in crate::command) struct SecretsArgs {
    /// Move keys into the encrypted store of `mgp secrets`, or keep them in the file; asks at a terminal, else keeps them
    #[arg(long, value_name = "CHOICE")]
    secrets: Option<SecretsChoice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SecretsChoice {
    Keep,
    Move,
}

/// Moves keys of imported servers into the store, if the user chooses that.
pub(in crate::command) struct KeyMover {
    secrets: AccountSecrets,
    choice: Option<SecretsChoice>,
    /// True if the user is asked once.
    asks: bool,
    /// False if nothing is written, as with `--dry-run`.
    writes: bool,
    /// The secrets in the store, and those that would be there.
    stored: BTreeMap<String, String>,
    /// The names of the keys that were moved.
    moved: Vec<String>,
}

impl KeyMover {
    pub(in crate::command) fn new(
        environment: &Environment,
        args: &SecretsArgs,
        asks: bool,
        writes: bool,
    ) -> Result<Self, CliError> {
        let secrets = AccountSecrets::new(environment, None)?;
        let stored = secrets.store().all().map_err(|error| secrets.failed(&error))?;
        Ok(Self { secrets, choice: args.secrets, asks, writes, stored, moved: Vec::new() })
    }

    /// Moves the keys of servers, and returns a remark about them.
    pub(in crate::command) fn take(
        &mut self,
        servers: &mut [ServerConfig],
    ) -> Result<Option<String>, CliError> {
        let keys = find_keys(servers, &self.stored);
        if keys.is_empty() {
            return Ok(None);
        }
        let lines: Vec<_> = keys.iter().map(|key| format!("  {}", key.shown())).collect();
        let (asks, count) = (self.asks, keys.len());
        let choice = *self.choice.get_or_insert_with(|| {
            let question = format!(
                "These values look like keys:\n{}\nMove them into the encrypted store of `mgp secrets`? [y]es, [n]o: ",
                lines.join("\n")
            );
            let line = asks.then(|| ask_on_stderr(&question)).flatten().unwrap_or_default();
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => SecretsChoice::Move,
                _ => SecretsChoice::Keep,
            }
        });
        let what = match count {
            1 => "1 value looks like a key and stays".to_owned(),
            _ => format!("{count} values look like keys and stay"),
        };
        let names: Vec<_> = keys.iter().map(|key| key.name.as_str()).collect();
        let names = names.join(", ");
        if choice == SecretsChoice::Keep {
            return Ok(Some(format!(
                "{what} in the file ({names}): `mgp secrets import` moves keys into an encrypted store"
            )));
        }
        if self.writes {
            store_keys(self.secrets.store(), &keys).map_err(|error| self.secrets.failed(&error))?;
            self.moved.extend(keys.iter().map(|key| key.name.clone()));
        }
        replace_keys(servers, &keys);
        keys.into_iter().for_each(|key| drop(self.stored.insert(key.name.clone(), key.into_secret())));
        let verb = if self.writes { "were moved" } else { "would be moved" };
        Ok(Some(format!("keys {verb} into {}: {names}", self.secrets.store().path().display())))
    }

    /// Returns a server with its stored secrets, for comparison.
    pub(in crate::command) fn with_secrets(&self, server: &ServerConfig) -> ServerConfig {
        with_secrets(server, &self.stored)
    }

    /// Returns the store, if it holds keys or gets some. Copies of files that may hold the same keys are encrypted.
    pub(in crate::command) fn store(&self) -> Option<&SecretStore> {
        let holds_keys = self.choice == Some(SecretsChoice::Move) || !self.stored.is_empty();
        holds_keys.then(|| self.secrets.store())
    }

    /// Records the moved keys in the audit trail of a configuration.
    pub(in crate::command) async fn record(&self, options: &Options, file: &Path) {
        if self.moved.is_empty() {
            return;
        }
        let config = file.exists().then(|| file.display().to_string());
        let options = Options { config, ..options.clone() };
        let setup = Box::pin(Setup::load_for_state(&options)).await;
        let names: Vec<_> = self.moved.iter().map(String::as_str).collect();
        record(&setup, "dev.cloto.mgp.SECRET_STORED", &names).await;
    }
}
