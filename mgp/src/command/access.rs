//! `mgp access`: which agent may use which tool.

use crate::{
    args::Options,
    duration::{duration, from_now},
    error::CliError,
    exit::Exit,
    output::{Outcome, note, table},
    setup::{Setup, operator},
};
use clap::{Args, Subcommand};
use mgp_security::access::{AccessControl, AccessMethods, UnreadableRule};
use mgp_types::{
    access::{
        AccessChangeStatus, AccessDecision, AccessEntry, AccessGrantParams, AccessQueryParams,
        AccessRevokeParams, DefaultPolicy, EntryType,
    },
    json::Nullable,
};
use serde::Serialize;
use std::{sync::Arc, time::Duration};

/// Show and change which agent may use which tool
///
/// Changes hold at once, in running kernels too, and stand in the audit trail under the name of your account.
#[derive(Debug, Args)]
pub(crate) struct AccessArgs {
    #[command(subcommand)]
    command: AccessCommand,
}

#[derive(Debug, Subcommand)]
enum AccessCommand {
    /// Show every rule, or those of --agent
    List,
    /// Let an agent use a server, or one of its tools
    Grant {
        #[command(flatten)]
        subject: Subject,
        /// Forbid it instead
        #[arg(long)]
        deny: bool,
        /// For how long, such as 8h or 7d; without end otherwise
        #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
        lifetime: Option<Duration>,
        /// The reason, for those who read the rule later
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Take a rule away
    Revoke {
        #[command(flatten)]
        subject: Subject,
    },
    /// Show what holds, and why; exit code 4 where the agent may not
    Query {
        #[command(flatten)]
        subject: Subject,
    },
}

/// The subject of a rule: an agent, and a server or one of its tools.
#[derive(Debug, Args)]
struct Subject {
    /// The agent
    #[arg(value_name = "AGENT")]
    of: String,
    /// The server, by its id in the configuration
    server: String,
    /// The tool, by its server's own name; the whole server without it
    tool: Option<String>,
}

impl Subject {
    fn entry_type(&self) -> EntryType {
        if self.tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant }
    }
}

#[derive(Serialize)]
struct Entries {
    entries: Vec<AccessEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableRule>,
}

pub(crate) async fn run(options: &Options, args: AccessArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options)?;
    let access = setup.state.access().await?;
    let log = setup.audit()?;
    let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
    let outcome = match args.command {
        AccessCommand::List => list(&access, options.agent.as_deref()).await,
        AccessCommand::Grant { subject, deny, lifetime, reason } => {
            warn_of_unknown(&setup, &subject.server).await;
            let expires_at = lifetime.map(from_now).transpose().map_err(CliError::usage)?;
            let params = AccessGrantParams {
                entry_type: subject.entry_type(),
                agent_id: subject.of,
                server_id: subject.server,
                tool_name: subject.tool.into(),
                permission: if deny { AccessDecision::Deny } else { AccessDecision::Allow },
                granted_by: Nullable::Absent,
                justification: reason.into(),
                expires_at: expires_at.map(|end| format!("{end:.3}")).into(),
            };
            let change = methods.grant(&operator(), params).await?;
            Outcome::new(sentence("", &change.entry), &change)
        }
        AccessCommand::Revoke { subject } => revoke(&methods, subject).await,
        AccessCommand::Query { subject } => {
            name_servers(&setup, &access).await?;
            say_unreadable(&access.unreadable());
            query(&methods, subject)
        }
    };
    log.flush().await.map_err(CliError::failed)?;
    outcome
}

async fn list(access: &AccessControl, agent: Option<&str>) -> Result<Outcome, CliError> {
    let mut entries = access.entries().await?;
    entries.retain(|entry| agent.is_none_or(|agent| entry.agent_id == agent));
    entries.sort_by(|a, b| {
        let key = |entry: &AccessEntry| {
            (entry.agent_id.clone(), entry.server_id.clone(), entry.tool_name.get().cloned())
        };
        key(a).cmp(&key(b))
    });
    let unreadable = access.unreadable();
    say_unreadable(&unreadable);
    if entries.is_empty() {
        if unreadable.is_empty() {
            note("there are no rules: every server's default policy holds");
        }
        return Outcome::new("", &Entries { entries, unreadable });
    }
    let or =
        |value: &Nullable<String>, otherwise: &str| value.get().map_or(otherwise, String::as_str).to_owned();
    let rows = entries.iter().map(|entry| {
        [
            entry.agent_id.clone(),
            entry.server_id.clone(),
            or(&entry.tool_name, "*"),
            entry.permission.map_or("-", AccessDecision::as_str).to_owned(),
            or(&entry.expires_at, "never"),
            or(&entry.granted_by, "-"),
            or(&entry.justification, ""),
        ]
    });
    let text = table(["agent", "server", "tool", "rule", "ends", "by", "reason"], rows);
    Outcome::new(text, &Entries { entries, unreadable })
}

/// Notes on stderr each rule that cannot be read, and the command that replaces or removes it.
fn say_unreadable(rules: &[UnreadableRule]) {
    for rule in rules {
        let subject = match (&rule.agent_id, &rule.server_id, &rule.tool_name) {
            (Some(agent), Some(server), Some(tool)) => Some(format!("{agent} {server} {tool}")),
            _ => None,
        };
        let what_to_do = match subject {
            Some(subject) => {
                let subject = subject.trim_end();
                format!(
                    "replace it with `mgp access grant {subject}`, or take it away with `mgp access revoke {subject}`"
                )
            }
            None => "take its row out of the table `rules` of the state folder's access.sqlite3".to_owned(),
        };
        note(&format!("{rule}; {what_to_do}"));
    }
}

async fn revoke(methods: &AccessMethods, subject: Subject) -> Result<Outcome, CliError> {
    let params = AccessRevokeParams {
        entry_type: subject.entry_type(),
        agent_id: subject.of,
        server_id: subject.server,
        tool_name: subject.tool.into(),
    };
    let change = methods.revoke(&operator(), params).await?;
    if change.status == AccessChangeStatus::NotFound {
        let AccessEntry { agent_id, server_id, tool_name, .. } = change.entry;
        let what = tool_name.get().map_or_else(|| server_id.clone(), |tool| format!("{tool} of {server_id}"));
        let error = CliError::new(Exit::NotFound, format!("there is no rule for {agent_id} and {what}"));
        return Err(error.help("see `mgp access list`"));
    }
    if change.entry.granted_by.get().is_some_and(|by| by == "config") {
        note(
            "this rule stands in the configuration, and comes back when a kernel starts; take it out there, or deny it",
        );
    }
    Outcome::new(sentence("no longer: ", &change.entry), &change)
}

fn query(methods: &AccessMethods, subject: Subject) -> Result<Outcome, CliError> {
    let params =
        AccessQueryParams { agent_id: subject.of, server_id: subject.server, tool_name: subject.tool.into() };
    let found = methods.query(&operator(), &params)?;
    let text = format!("{} ({})", found.permission, found.source);
    let exit = if found.permission == AccessDecision::Allow { Exit::Success } else { Exit::Refused };
    Ok(Outcome::new(text, &found)?.with_exit(exit))
}

/// Registers the servers and agents that a kernel would register, so that their default policies apply.
async fn name_servers(setup: &Setup, access: &AccessControl) -> Result<(), CliError> {
    for id in setup.registered().await? {
        access.set_server(&id, DefaultPolicy::OptIn);
    }
    // The configuration's servers come last: if both have the same id, the kernel runs the one of the configuration.
    for (id, policy) in setup.servers()? {
        access.set_server(&id, policy);
    }
    access.add_agent(&setup.agent);
    if let Some(loaded) = &setup.loaded {
        for key in &loaded.config.http.api_keys {
            access.add_agent(&key.agent);
        }
    }
    Ok(())
}

async fn warn_of_unknown(setup: &Setup, server: &str) {
    let known = setup.servers().is_ok_and(|servers| servers.iter().any(|(id, _)| id == server))
        || setup.registered().await.is_ok_and(|ids| ids.iter().any(|id| id == server));
    if !known {
        note(&format!(
            "there is no server {server:?} in the configuration or registered; the rule counts when there is"
        ));
    }
}

fn sentence(start: &str, entry: &AccessEntry) -> String {
    let may = match entry.permission {
        Some(AccessDecision::Deny) => "may not use",
        Some(AccessDecision::Allow) => "may use",
        None => "has a rule that cannot be read for",
    };
    let what = match entry.tool_name.get() {
        Some(tool) => format!("{tool} of {}", entry.server_id),
        None => format!("every tool of {}", entry.server_id),
    };
    let end = entry.expires_at.get().map(|end| format!(" until {end}")).unwrap_or_default();
    format!("{start}{} {may} {what}{end}", entry.agent_id)
}
