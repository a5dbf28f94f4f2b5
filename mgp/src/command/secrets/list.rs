//! `mgp secrets list`.

use crate::{
    error::CliError,
    options::Options,
    output::{Outcome, note, table},
    secrets::AccountSecrets,
    setup::Setup,
};
use mgp_discovery::config::{Secret, SecretSource, Text, secret_name};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

#[derive(Serialize)]
struct ListedSecrets {
    /// The encrypted file.
    file: PathBuf,
    /// The place of its key.
    key: String,
    secrets: Vec<ListedSecret>,
}

#[derive(Serialize)]
struct ListedSecret {
    name: String,
    /// False if the configuration names the secret, and nobody has set it.
    stored: bool,
    used_by: Vec<String>,
}

pub(super) async fn list(options: &Options) -> Result<Outcome, CliError> {
    let secrets = AccountSecrets::of_command(options)?;
    let store = secrets.store();
    let stored: BTreeSet<String> = store.all().map_err(|error| secrets.failed(&error))?.into_keys().collect();
    let mut uses = uses(&Setup::load_for_state(options).await);
    let mut names = stored.clone();
    // A login stores its tokens itself.
    names.extend(uses.keys().filter(|name| secret_name(name).is_ok()).cloned());
    let listed = names.into_iter().map(|name| {
        let used_by = uses.remove(&name).unwrap_or_default();
        ListedSecret { stored: stored.contains(&name), used_by, name }
    });
    let secrets: Vec<_> = listed.collect();
    let (file, key) = (store.path().to_owned(), store.key_place());
    if secrets.is_empty() {
        note("no secret is stored: `mgp secrets set NAME` stores one");
        return Outcome::new("", &ListedSecrets { file, key, secrets });
    }
    let rows = secrets.iter().map(|secret| {
        let kept = if secret.stored { "the encrypted file" } else { "nowhere: `mgp secrets set` stores it" };
        let users = if secret.used_by.is_empty() { "-".to_owned() } else { secret.used_by.join(", ") };
        [secret.name.clone(), kept.to_owned(), users]
    });
    let text = table(["secret", "kept in", "used by"], rows);
    note(&format!("the encrypted file is {}, and its key is in {}", file.display(), key));
    Outcome::new(text, &ListedSecrets { file, key, secrets })
}

/// Returns the servers and keys that use each stored secret. Empty if the configuration cannot be used.
pub(super) fn uses(setup: &Result<Setup, CliError>) -> BTreeMap<String, Vec<String>> {
    let mut uses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Some(loaded) = setup.as_ref().ok().and_then(|setup| setup.loaded.as_ref()) else { return uses };
    let mut add = |source: &SecretSource, user: &str| {
        if let SecretSource::Keyring(name) = source {
            let users = uses.entry(name.clone()).or_default();
            if !users.iter().any(|known| known == user) {
                users.push(user.to_owned());
            }
        }
    };
    let config = &loaded.config;
    for server in &config.servers {
        let has_login = server.auth.as_ref().is_some_and(|auth| auth.oauth.is_some());
        server.secret_sources().iter().for_each(|(_, source)| add(source, &server.id));
        if let Some(url) = server.url.as_ref().filter(|_| has_login) {
            add(&SecretSource::Keyring(format!("oauth:{}", url.value())), &server.id);
        }
    }
    let mut of_key = |key: &str, text: Option<&Text>| {
        text.into_iter().flat_map(Text::sources).for_each(|source| add(source, key));
    };
    let asked = config.http.oauth.as_ref().and_then(|oauth| oauth.introspection.as_ref());
    of_key("http.oauth.introspection", asked.map(|asked| &asked.client_id));
    of_key("http.oauth.introspection", asked.map(|asked| asked.client_secret.text()));
    for target in &config.approvals.notify {
        of_key("approvals.notify", target.url.as_ref().map(Secret::text));
        of_key("approvals.notify", target.token.as_ref().map(Secret::text));
    }
    of_key("store.url", config.store.url.as_ref().map(Secret::text));
    let traces = config.telemetry.traces_authorization.as_ref();
    of_key("telemetry.traces_authorization", traces.map(Secret::text));
    uses
}
