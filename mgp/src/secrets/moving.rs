//! Keys in values of servers, which are moved into the store.

use super::unusable;
use crate::masking::{looks_like_key, split_scheme};
use mgp_discovery::config::{KeyPath, Secret, ServerConfig, secret_name};
use mgp_store::secrets::SecretStore;
use std::{collections::BTreeMap, fmt, io};

/// A key in a value of a server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FoundKey {
    /// The index of the server.
    pub(crate) server: usize,
    id: String,
    pub(crate) key: KeyPath,
    /// The text before the key, such as `Bearer`.
    before: String,
    secret: String,
    /// The name of the key in the store.
    pub(crate) name: String,
}

impl FoundKey {
    /// Returns the text that replaces the key.
    pub(crate) fn reference(&self) -> String {
        format!("{}${{keyring:{}}}", self.before, self.name)
    }

    pub(crate) fn into_secret(self) -> String {
        self.secret
    }

    /// Returns the server, the name of the value, and the key without most of its characters.
    pub(crate) fn shown(&self) -> String {
        format!("{}: {} = {}{}", self.id, self.key, self.before, masked(&self.secret))
    }
}

impl fmt::Debug for FoundKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundKey").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns a secret on a screen: its length, and the first characters of a long one, which many issuers choose for all of theirs.
fn masked(secret: &str) -> String {
    let length = secret.chars().count();
    let start: String = if length < 20 { String::new() } else { secret.chars().take(3).collect() };
    format!("{start}*** ({length} characters)")
}

/// Returns the values of servers that look like keys. Each has a name that the store does not have, or has for the same secret.
pub(crate) fn find_keys(servers: &[ServerConfig], stored: &BTreeMap<String, String>) -> Vec<FoundKey> {
    let mut found: Vec<FoundKey> = Vec::new();
    for (at, server) in servers.iter().enumerate() {
        // The visitor changes nothing.
        server.clone().for_each_secret(&mut |key, value| {
            let Some((before, secret)) = key_in(&key, value) else { return };
            let is_free = |name: &str| {
                let same = |other: &str| other == secret;
                stored.get(name).is_none_or(|known| same(known))
                    && found.iter().all(|known| known.name != name || same(&known.secret))
            };
            let name = free_name(&server.id, last(&key), is_free);
            found.push(FoundKey { server: at, id: server.id.clone(), key, before, secret, name });
        });
    }
    found
}

/// Puts keys into the store.
///
/// # Errors
/// If a key cannot be stored, or if the store cannot be changed. Then nothing is stored.
pub(crate) fn store_keys(store: &SecretStore, keys: &[FoundKey]) -> io::Result<()> {
    for key in keys {
        if let Some(problem) = unusable(&key.secret) {
            let (id, path) = (&key.id, &key.key);
            return Err(io::Error::other(format!(
                "the key in {path} of {id} {problem}; change it there, or leave keys where they are with --secrets keep"
            )));
        }
    }
    store.change(|secrets| {
        for key in keys {
            let kept = secrets.entry(key.name.clone()).or_insert_with(|| key.secret.clone());
            if *kept != key.secret {
                let problem = format!("another command has just stored {:?}: try again", key.name);
                return Err(io::Error::other(problem));
            }
        }
        Ok(())
    })?
}

/// Replaces keys in servers by their names.
pub(crate) fn replace_keys(servers: &mut [ServerConfig], keys: &[FoundKey]) {
    for (at, server) in servers.iter_mut().enumerate() {
        server.for_each_secret(&mut |key, value| {
            if let Some(found) = keys.iter().find(|found| found.server == at && found.key == key) {
                *value = Secret::from(found.reference());
            }
        });
    }
}

/// Returns servers with stored secrets instead of their names, for comparison.
pub(crate) fn with_secrets(server: &ServerConfig, stored: &BTreeMap<String, String>) -> ServerConfig {
    let mut server = server.clone();
    server.for_each_secret(&mut |_, value| {
        let mut text = value.written().to_owned();
        for (name, secret) in stored {
            text = text.replace(&format!("${{keyring:{name}}}"), &secret.replace("${", "$${"));
        }
        *value = Secret::from(text);
    });
    server
}

/// Returns the text before a key, and the key, if a value looks like one.
fn key_in(key: &KeyPath, value: &Secret) -> Option<(String, String)> {
    let text = value.text().literal()?;
    let (before, secret) = split_scheme(&text);
    let is_of_auth = key.to_string().starts_with("auth.");
    let is_key = is_of_auth && !secret.is_empty() || looks_like_key(last(key), &text);
    is_key.then(|| (before.to_owned(), secret.to_owned()))
}

/// Returns the last key of a path.
fn last(key: &KeyPath) -> &str {
    key.last().unwrap_or_default()
}

/// Returns a name in the store for a value of a server.
fn free_name(id: &str, key: &str, is_free: impl Fn(&str) -> bool) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let key: String = key.chars().map(legal).take(64).collect();
    let name = format!("{id}.{key}");
    let mut names = (1_usize..).map(|number| match number {
        1 => name.clone(),
        number => format!("{name}-{number}"),
    });
    names.find(|name| is_free(name) && secret_name(name).is_ok()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_discovery::config::Auth;

    fn found(name: &str, value: &str) -> Option<String> {
        let mut server = ServerConfig::new("a");
        server.env.insert(name.to_owned(), value.into());
        find_keys(&[server], &BTreeMap::new()).pop().map(|found| format!("{found:?} {}", found.reference()))
    }

    #[test]
    fn values_that_look_like_keys_are_found() {
        for (name, value) in [
            ("GITHUB_PERSONAL_ACCESS_TOKEN", "hunter2"),
            ("OPENAI_API_KEY", "sk-x"),
            ("APIKEY", "x1"),
            ("DB_PASSWORD", "12345678"),
            ("DATABASE_URL", "postgres://u:p@db/x"),
            ("ANYTHING", "ghp_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi"),
            ("X-Api-Key", "x"),
            ("Authorization", "Bearer x"),
        ] {
            assert!(found(name, value).is_some(), "{name}={value}");
        }
        for (name, value) in [
            ("GITHUB_TOKEN", "${GITHUB_TOKEN}"),
            ("GITHUB_TOKEN", "${keyring:x}"),
            ("GITHUB_TOKEN", ""),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/a/key.json"),
            ("TOKEN_URL", "https://a.example/token"),
            ("AUTH_TYPE", "oauth"),
            ("MAX_TOKENS", "100000000"),
            ("USE_AUTH", "true"),
            ("API_KEY", "<your key>"),
            ("LOG_LEVEL", "debug"),
            ("PATH", "/usr/bin"),
        ] {
            assert_eq!(found(name, value), None, "{name}={value}");
        }
    }

    #[test]
    fn keys_are_replaced_by_names_that_are_free() {
        let mut servers = [ServerConfig::new("a"), ServerConfig::new("b")];
        servers[0].env.insert("A TOKEN".to_owned(), "one $${x}".into());
        servers[0].auth = Some(Auth { bearer: Some("two".into()), ..Auth::default() });
        servers[1].headers.insert("Authorization".to_owned(), "Bearer three".into());
        let stored = [("a.bearer", "other"), ("b.Authorization", "three")];
        let mut stored: BTreeMap<_, _> =
            stored.into_iter().map(|(name, secret)| (name.to_owned(), secret.to_owned())).collect();
        let keys = find_keys(&servers, &stored);
        let plain = servers.clone();
        replace_keys(&mut servers, &keys);
        assert_eq!(servers[0].env["A TOKEN"].written(), "${keyring:a.A-TOKEN}");
        assert_eq!(
            servers[0].auth.as_ref().unwrap().bearer.as_ref().unwrap().written(),
            "${keyring:a.bearer-2}"
        );
        assert_eq!(servers[1].headers["Authorization"].written(), "Bearer ${keyring:b.Authorization}");
        assert!(!format!("{keys:?}").contains("one"));
        let folder = tempfile::tempdir().unwrap();
        let store = SecretStore::in_folder(folder.path());
        store_keys(&store, &keys).unwrap();
        assert_eq!(store.get("a.A-TOKEN").unwrap().as_deref(), Some("one ${x}"));
        stored.extend(store.all().unwrap());
        assert_eq!(with_secrets(&servers[0], &stored), plain[0]);
        assert_eq!(find_keys(&servers, &stored), []);
        store.change(|secrets| secrets.insert("a.bearer-2".into(), "changed".into())).unwrap();
        assert!(store_keys(&store, &keys).unwrap_err().to_string().contains("another command"));
    }
}
