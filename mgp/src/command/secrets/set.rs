//! `mgp secrets set` and `remove`.

use super::list::uses;
use crate::{
    error::CliError,
    exit::Exit,
    input::read_input,
    meant::question,
    operator::{is_elsewhere, operator},
    options::Options,
    output::{Outcome, note},
    secrets::{AccountSecrets, text, unusable},
    setup::Setup,
};
use mgp_discovery::config::MAX_SECRET;
use mgp_security::audit::{AuditSink as _, EventDraft};
use mgp_types::audit::{AuditEventType, AuditResult};
use serde::Serialize;
use std::{
    io::{self, IsTerminal},
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
    let secret = read(&name).await?;
    let store = secrets.store();
    let is_new = store.change(|all| all.insert(name.clone(), secret).is_none());
    let verb = if is_new.map_err(|error| secrets.failed(&error))? { "stored" } else { "replaced" };
    let setup = Setup::load_for_state(options).await;
    record(&setup, "dev.cloto.mgp.SECRET_STORED", &[&name]).await;
    let used_by = uses(&setup).remove(&name).unwrap_or_default();
    match &used_by[..] {
        [] => note(&format!("write ${{keyring:{name}}} into the env, headers or auth of a server")),
        users => users.iter().for_each(|id| note(&format!("`mgp servers restart {id}` uses it at once"))),
    }
    let (file, key) = (store.path().to_owned(), store.key_place());
    let text = format!("{verb} {name} in {}, encrypted with the key in {key}", file.display());
    Outcome::new(text, &ChangedSecret { name, stored: true, file, used_by })
}

/// Records a change of secrets in the audit trail. A configuration that cannot be used does not prevent the change, and is noted.
pub(super) async fn record(setup: &Result<Setup, CliError>, what: &'static str, names: &[&str]) {
    let recorded = async {
        let log = setup.as_ref().map_err(|error| error.message().to_owned())?.audit();
        let log = log.map_err(|error| error.message().to_owned())?;
        let event = EventDraft::new(AuditEventType::from(what), &operator());
        let event = event.result(AuditResult::Success).detail("secrets", &names);
        log.record(event.finish()).await.map_err(|error| error.to_string())
    };
    if let Err(error) = recorded.await {
        note(&format!("the change is not in the audit trail: {error}"));
    }
}

/// Reads a secret from the terminal without showing it, or from the input of the command.
async fn read(name: &str) -> Result<String, CliError> {
    let secret = if !is_elsewhere() && io::stdin().is_terminal() {
        let question = format!("Secret {name} (not shown): ");
        let asked = tokio::task::spawn_blocking(|| rpassword::prompt_password(question)).await;
        let secret = asked.map_err(CliError::failed)?;
        secret.map_err(|error| CliError::failed(format!("failed to read the secret: {error}")))?.into_bytes()
    } else {
        // A longer text is not a secret, whatever its line break is.
        read_input(MAX_SECRET as u64 + 2)
            .map_err(|error| CliError::usage(format!("failed to read the secret: {error}")))?
    };
    let secret = text(secret, "the secret").map_err(CliError::usage)?;
    if let Some(problem) = unusable(&secret) {
        return Err(CliError::usage(format!("the secret {problem}")));
    }
    Ok(secret)
}

pub(super) async fn remove(options: &Options, name: String) -> Result<Outcome, CliError> {
    let secrets = AccountSecrets::of_command(options)?;
    let store = secrets.store();
    let removed = store.change(|all| (all.remove(&name).is_some(), all.keys().cloned().collect::<Vec<_>>()));
    let (is_removed, names) = removed.map_err(|error| secrets.failed(&error))?;
    if !is_removed {
        let question = question(&name, names.iter().map(String::as_str));
        return Err(CliError::new(Exit::NotFound, format!("no secret {name:?} is stored"))
            .help(format!("{question}`mgp secrets list` shows the names")));
    }
    let setup = Setup::load_for_state(options).await;
    record(&setup, "dev.cloto.mgp.SECRET_REMOVED", &[&name]).await;
    let used_by = uses(&setup).remove(&name).unwrap_or_default();
    if !used_by.is_empty() {
        note(&format!("without it, these servers do not start again: {}", used_by.join(", ")));
    }
    let text = format!("removed {name} from {}", store.path().display());
    Outcome::new(text, &ChangedSecret { name, stored: false, file: store.path().to_owned(), used_by })
}
