//! `mgp secrets set` and `remove`.

use super::list::uses;
use crate::{
    error::CliError,
    exit::Exit,
    meant::question,
    options::Options,
    output::{Outcome, note},
    secrets::{AccountSecrets, text},
};
use mgp_discovery::config::MAX_SECRET;
use serde::Serialize;
use std::{
    io::{self, IsTerminal, Read},
    path::PathBuf,
};

/// The result of a change.
#[derive(Serialize)]
struct ChangedSecret {
    name: String,
    stored: bool,
    file: PathBuf,
    used_by: Vec<String>,
}

pub(super) async fn set(options: &Options, name: String) -> Result<Outcome, CliError> {
    let secrets = AccountSecrets::of_command(options)?;
    let asked = name.clone();
    let secret = tokio::task::spawn_blocking(move || read(&asked)).await.map_err(CliError::failed)??;
    let store = secrets.store();
    let is_new = store.change(|all| all.insert(name.clone(), secret).is_none());
    let verb = if is_new.map_err(|error| secrets.failed(&error))? { "stored" } else { "replaced" };
    let used_by = uses(options).remove(&name).unwrap_or_default();
    match &used_by[..] {
        [] => note(&format!("write ${{keyring:{name}}} into the env, headers or auth of a server")),
        users => users.iter().for_each(|id| note(&format!("`mgp servers restart {id}` uses it at once"))),
    }
    let (file, key) = (store.path().to_owned(), store.key_place());
    let text = format!("{verb} {name} in {}, encrypted with the key in {key}", file.display());
    Outcome::new(text, &ChangedSecret { name, stored: true, file, used_by })
}

/// Reads a secret from the terminal without showing it, or from stdin.
fn read(name: &str) -> Result<String, CliError> {
    let failed = |error: io::Error| CliError::failed(format!("failed to read the secret: {error}"));
    let secret = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("Secret {name} (not shown): ")).map_err(failed)?.into_bytes()
    } else {
        let mut secret = Vec::new();
        io::stdin().take(MAX_SECRET as u64 + 3).read_to_end(&mut secret).map_err(failed)?;
        secret
    };
    let secret = text(secret, "the secret").map_err(CliError::usage)?;
    if secret.len() > MAX_SECRET {
        return Err(CliError::usage(format!("the secret is too long: expected at most {MAX_SECRET} bytes")));
    }
    if secret.contains('\0') {
        return Err(CliError::usage("the secret holds a NUL character: expected none"));
    }
    Ok(secret)
}

pub(super) fn remove(options: &Options, name: String) -> Result<Outcome, CliError> {
    let secrets = AccountSecrets::of_command(options)?;
    let store = secrets.store();
    let removed = store.change(|all| (all.remove(&name).is_some(), all.keys().cloned().collect::<Vec<_>>()));
    let (is_removed, names) = removed.map_err(|error| secrets.failed(&error))?;
    if !is_removed {
        let question = question(&name, names.iter().map(String::as_str));
        return Err(CliError::new(Exit::NotFound, format!("no secret {name:?} is stored"))
            .help(format!("{question}`mgp secrets list` shows the names")));
    }
    let used_by = uses(options).remove(&name).unwrap_or_default();
    if !used_by.is_empty() {
        note(&format!("without it, these servers do not start again: {}", used_by.join(", ")));
    }
    let text = format!("removed {name} from {}", store.path().display());
    Outcome::new(text, &ChangedSecret { name, stored: false, file: store.path().to_owned(), used_by })
}
