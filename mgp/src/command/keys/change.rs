//! `mgp keys add`, `revoke` and `rotate`.

use super::run::name;
use crate::{
    command::{access::unknown_agent, role::RoleArg},
    duration::{duration, from_now},
    error::CliError,
    exit::Exit,
    meant::question,
    operator::operator,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use mgp_security::{
    access::ToolScope,
    audit::{AuditLog, EventDraft, record_change},
    keys::{KeyStore as _, MAX_SCOPES, StoreError, StoredKey},
};
use mgp_transport::http::server::ApiKey;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::OperatorRole,
};
use serde::Serialize;
use std::time::Duration;

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The name of the key, used in limits, logs and the other commands
    #[arg(value_parser = name)]
    name: String,
    /// Limit the key to some of its agent's tools: a server, or server__tool, where `*` matches any text; the prefix `read:` limits it to
    /// tools that change nothing. May be given several times
    #[arg(long = "scope", value_name = "SCOPE", value_parser = scope)]
    scopes: Vec<String>,
    /// Duration for which the key is accepted, such as 30d; without end by default
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    expires: Option<Duration>,
    /// Let the owner of the key grant, approve and read the audit trail
    #[arg(long, conflicts_with = "scopes")]
    admin: bool,
    /// Make a key that only opens the console over the network, with this role: its owner calls no tools
    #[arg(long, value_name = "ROLE", value_enum, conflicts_with_all = ["admin", "scopes"])]
    console: Option<RoleArg>,
}

#[derive(Debug, Args)]
pub(super) struct RotateArgs {
    /// The name of the key
    #[arg(value_parser = name)]
    name: String,
    /// Duration for which the replaced key is still accepted
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    grace: Duration,
}

/// A new key, with its text.
#[derive(Serialize)]
struct MadeKey {
    name: String,
    key: String,
    agent: String,
    admin: bool,
    /// The role in the console of a key that opens only the console.
    #[serde(skip_serializing_if = "Option::is_none")]
    console: Option<OperatorRole>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// The time until which the replaced key is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_until: Option<String>,
}

#[derive(Serialize)]
struct RevokedKey {
    revoked: String,
}

fn scope(text: &str) -> Result<String, String> {
    text.parse::<ToolScope>().map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

/// Creates an event about a key.
fn event(what: &'static str, name: &str) -> EventDraft {
    let draft = EventDraft::new(AuditEventType::from(what), &operator());
    draft.result(AuditResult::Success).detail("key", &name)
}

fn no_such_key<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> CliError {
    let question = question(name, known);
    CliError::new(Exit::NotFound, format!("there is no key {name:?}")).help(format!(
        "{question}`mgp keys list` shows the keys; those of http.api_keys are in the configuration"
    ))
}

fn taken(name: &str) -> CliError {
    CliError::usage(format!("there is a key {name:?} already"))
        .help("choose another name; `mgp keys list` shows the keys, and `mgp keys rotate` replaces one")
}

pub(super) async fn add(options: &Options, args: AddArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    if args.scopes.len() > MAX_SCOPES {
        return Err(CliError::usage(format!("{} scopes: expected at most {MAX_SCOPES}", args.scopes.len())));
    }
    let configured = setup.loaded.iter().flat_map(|loaded| &loaded.config.http.api_keys);
    if configured.map(|key| &key.id).any(|id| *id == args.name) {
        return Err(CliError::usage(format!(
            "the key {:?} is in http.api_keys of the configuration",
            args.name
        ))
        .help("choose another name"));
    }
    let expires_at = args.expires.map(from_now).transpose().map_err(CliError::usage)?;
    let (store, log) = (setup.state.keys()?, setup.audit()?);
    if store.names().await?.contains(&args.name) {
        return Err(taken(&args.name));
    }
    if args.console.is_none()
        && let Some(question) =
            unknown_agent(&setup, &setup.agent).await?.filter(|question| !question.is_empty())
    {
        note(&format!("nothing names an agent {:?} yet: {question}", setup.agent));
    }
    let (text, hash) = ApiKey::generate()?;
    let key = StoredKey {
        name: args.name,
        hash: hash.into(),
        agent: setup.agent.clone(),
        admin: args.admin,
        console: args.console.map(RoleArg::role),
        scopes: args.scopes.join(" "),
        created_at: Timestamp::now(),
        expires_at,
        last_used: None,
    };
    let draft = event("dev.cloto.mgp.KEY_ADDED", &key.name)
        .detail("agent", &key.agent)
        .detail("admin", &key.admin)
        .detail("console", &key.console)
        .detail("scopes", &key.scopes);
    let added = key.clone();
    let stored = change(&log, draft, async move {
        match store.add(added).await {
            Ok(false) => Err(StoreError::new("another command made a key with this name")),
            other => other.map(drop),
        }
    });
    stored.await?;
    shown(&key, text, None)
}

pub(super) async fn revoke(options: &Options, name: String) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let store = setup.state.keys()?;
    let names = store.names().await?;
    if !names.contains(&name) {
        return Err(no_such_key(&name, names.iter().map(String::as_str)));
    }
    let draft = event("dev.cloto.mgp.KEY_REVOKED", &name);
    let revoked = name.clone();
    change(&setup.audit()?, draft, async move { store.revoke(&revoked).await.map(drop) }).await?;
    Outcome::new(format!("the key {name:?} is revoked\n"), &RevokedKey { revoked: name })
}

pub(super) async fn rotate(options: &Options, args: RotateArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let store = setup.state.keys()?;
    let (name, now) = (args.name, Timestamp::now());
    let keys = store.load().await?;
    // The successor inherits the rights and the expiry of the newest key.
    let before = keys.iter().filter(|key| key.name == name).max_by_key(|key| key.created_at);
    let Some(before) = before.cloned() else {
        return Err(no_such_key(&name, keys.iter().map(|key| key.name.as_str())));
    };
    if !before.holds_at(now) {
        return Err(
            CliError::usage(format!("the key {name:?} has expired")).help("revoke it, and add another")
        );
    }
    let until = from_now(args.grace).map_err(CliError::usage)?;
    let (text, hash) = ApiKey::generate()?;
    let hash_before = before.hash;
    // The key created last is the newest, even if the clock was set back since.
    let created_at = now.max(before.created_at.saturating_add(SignedDuration::from_micros(1)).unwrap_or(now));
    let next = StoredKey { hash: hash.into(), created_at, last_used: None, ..before };
    let draft = event("dev.cloto.mgp.KEY_ROTATED", &name).detail("until", &format!("{until:.0}"));
    let stored = next.clone();
    let replace = async move {
        match store.replace(hash_before, stored, until).await {
            Ok(false) => Err(StoreError::new("the key was changed meanwhile")),
            other => other.map(drop),
        }
    };
    change(&setup.audit()?, draft, replace).await?;
    shown(&next, text, Some(until))
}

/// Makes a change and records its events.
async fn change(
    log: &AuditLog,
    draft: EventDraft,
    change: impl Future<Output = Result<(), StoreError>>,
) -> Result<(), CliError> {
    record_change(log, draft, change).await.map_err(|error| CliError::failed(error.to_string()))
}

fn shown(key: &StoredKey, text: String, until: Option<Timestamp>) -> Result<Outcome, CliError> {
    let time = |time: Option<Timestamp>| time.map(|time| format!("{time:.0}"));
    let made = MadeKey {
        name: key.name.clone(),
        agent: key.agent.clone(),
        admin: key.admin,
        console: key.console,
        scopes: key.scopes.split_whitespace().map(str::to_owned).collect(),
        expires_at: time(key.expires_at),
        replaced_until: time(until),
        key: text,
    };
    let mut told = match key.console {
        Some(role) => format!(
            "{}\n\nIt is shown only once. It opens the console at console.origin, with the role {}.\n",
            made.key,
            role.as_str()
        ),
        None => format!(
            "{}\n\nIt is shown only once. A host sends it with every request, as `Authorization: Bearer KEY` or `X-API-Key: KEY`.\n\
             Its owner calls for agent {:?}.\n",
            made.key, made.agent
        ),
    };
    if let Some(end) = &made.expires_at {
        told.push_str(&format!("It expires at {end}.\n"));
    }
    if let Some(until) = &made.replaced_until {
        told.push_str(&format!("The key before it is accepted until {until}.\n"));
    }
    note("running gateways accept the key within a second");
    Outcome::new(told, &made)
}
