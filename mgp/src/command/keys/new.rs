//! `mgp keys new`.

use super::run::name;
use crate::{error::CliError, options::Options, output::Outcome, setup::Setup};
use clap::Args;
use mgp_transport::http::server::ApiKey;
use serde::Serialize;

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The name of the key, used in logs
    #[arg(long, value_name = "NAME", value_parser = name)]
    id: Option<String>,
    /// Let the owner of the key grant, approve and read the audit trail
    #[arg(long)]
    admin: bool,
}

#[derive(Serialize)]
struct NewKey {
    id: String,
    key: String,
    hash: String,
    agent: String,
    admin: bool,
}

pub(super) async fn new(options: &Options, NewArgs { id, admin }: NewArgs) -> Result<Outcome, CliError> {
    let agent = Setup::load_for_state(options).await?.agent;
    let (key, hash) = ApiKey::generate()?;
    let hash = hash.to_string();
    let id = id.unwrap_or_else(|| format!("key-{}", &hash[..8]));
    let made = NewKey { id, key, hash, agent, admin };
    Outcome::new(made.text(), &made)
}

impl NewKey {
    fn text(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let Self { id, key, hash, agent, admin } = self;
        let (id, agent) = (quoted(id), quoted(agent));
        let admin = if *admin { "admin = true\n" } else { "" };
        let use_it = "It is shown only once. A host sends it with every request, as `Authorization: Bearer KEY` or \
                      `X-API-Key: KEY`.\nInto the configuration goes:";
        let table = format!("[[http.api_keys]]\nid = {id}\nhash = \"{hash}\"\nagent = {agent}\n{admin}");
        format!("{key}\n\n{use_it}\n\n{table}")
    }
}
