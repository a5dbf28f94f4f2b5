//! `mgp keys list`.

use crate::{
    error::CliError,
    options::Options,
    output::{Outcome, note, table},
    setup::Setup,
};
use jiff::Timestamp;
use mgp_security::{
    access::Abilities,
    keys::{KeyStore as _, StoredKey},
};
use mgp_types::{context::KeyScopes, lifecycle::OperatorRole};
use serde::Serialize;

#[derive(Serialize)]
struct ListedKeys {
    keys: Vec<ListedKey>,
}

/// A key without its text and its hash.
#[derive(Serialize)]
struct ListedKey {
    name: String,
    agent: String,
    admin: bool,
    /// The scopes. Without any, the key may do everything that its agent may.
    scopes: Vec<String>,
    /// The role in the console of a key that opens only the console.
    #[serde(skip_serializing_if = "Option::is_none")]
    console: Option<OperatorRole>,
    created_at: String,
    expires_at: Option<String>,
    last_used: Option<String>,
    /// True if the key is no longer accepted.
    expired: bool,
    /// True if the key is from the configuration.
    configured: bool,
}

pub(super) async fn list(options: &Options) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let mut keys: Vec<_> = setup.state.keys()?.load().await?.iter().map(ListedKey::stored).collect();
    let configured = setup.loaded.iter().flat_map(|loaded| &loaded.config.http.api_keys);
    keys.extend(configured.map(|key| ListedKey {
        name: key.id.clone(),
        agent: key.agent.clone(),
        admin: key.admin,
        scopes: Vec::new(),
        console: None,
        created_at: String::new(),
        expires_at: None,
        last_used: None,
        expired: false,
        configured: true,
    }));
    if keys.is_empty() {
        note("there are no keys: `mgp keys add NAME` makes one");
        return Outcome::new("", &ListedKeys { keys });
    }
    let header = ["key", "agent", "may", "made", "expires", "last used"];
    let text = table(header, keys.iter().map(ListedKey::row));
    Outcome::new(text, &ListedKeys { keys })
}

impl ListedKey {
    fn stored(key: &StoredKey) -> Self {
        let time = |time: Timestamp| format!("{time:.0}");
        Self {
            name: key.name.clone(),
            agent: key.agent.clone(),
            admin: key.admin,
            scopes: key.scopes.split_whitespace().map(str::to_owned).collect(),
            console: key.console,
            created_at: time(key.created_at),
            expires_at: key.expires_at.map(time),
            last_used: key.last_used.map(time),
            expired: !key.holds_at(Timestamp::now()),
            configured: false,
        }
    }

    fn row(&self) -> [String; 6] {
        let may = match (&self.scopes[..], self.admin) {
            _ if let Some(role) = self.console => format!("open the console, as {}", role.as_str()),
            ([], true) => "all of its agent, and administer".to_owned(),
            ([], false) => "all of its agent".to_owned(),
            (scopes, _) => Abilities(&KeyScopes::new(&self.name, &scopes.join(" "))).to_string(),
        };
        let or = |time: &Option<String>| time.clone().unwrap_or_else(|| "never".to_owned());
        let (made, used) = match self.configured {
            true => ("in http.api_keys".to_owned(), "-".to_owned()),
            false => (self.created_at.clone(), or(&self.last_used)),
        };
        let end =
            if self.expired { format!("{}, expired", or(&self.expires_at)) } else { or(&self.expires_at) };
        [self.name.clone(), self.agent.clone(), may, made, end, used]
    }
}
