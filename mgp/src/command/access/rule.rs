//! `mgp access grant` and `mgp access revoke`.

use super::known::warn_of_unknown;
use crate::{
    command::known::server_or_text,
    duration::{duration, from_now},
    error::CliError,
    exit::Exit,
    operator::operator,
    output::{Outcome, note, on_one_line},
    setup::Setup,
};
use clap::Args;
use mgp_security::access::AccessMethods;
use mgp_types::{
    access::{
        AccessChange, AccessChangeStatus, AccessDecision, AccessEntry, AccessGrantParams, AccessRevokeParams,
        EntryType,
    },
    json::Nullable,
    rpc::ErrorObject,
};
use std::{sync::Arc, time::Duration};

/// The subject of a rule: an agent, and a server or one of its tools.
#[derive(Debug, Args)]
pub(super) struct Subject {
    /// The agent that the rule is for
    #[arg(value_name = "AGENT")]
    of: String,
    /// The id of the server; `*` matches any text. To revoke, an unambiguous beginning is enough
    server: String,
    /// The tool, by its server's own name, or a pattern with `*`; without it, the rule is for the whole server
    tool: Option<String>,
}

/// The other parts of a new rule.
#[derive(Debug, Args)]
pub(super) struct Terms {
    /// Deny access instead
    #[arg(long)]
    deny: bool,
    /// Duration for which the rule is valid, such as 8h or 7d; without end by default
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    lifetime: Option<Duration>,
    /// The reason, shown with the rule
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Subject {
    fn entry_type(&self) -> EntryType {
        if self.tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant }
    }

    /// Returns the subject with the full id of its server, if a rule of the agent matches.
    ///
    /// # Errors
    /// If several rules match, or if the rules cannot be read.
    async fn of_a_rule(self, setup: &Setup) -> Result<Self, CliError> {
        let entries = setup.state.access().await?.entries().await?;
        let own = entries.into_iter().filter(|entry| entry.agent_id == self.of);
        let ids: Vec<_> = own.map(|entry| entry.server_id).collect();
        Ok(Self { server: server_or_text(&self.server, &ids)?, ..self })
    }
}

pub(super) async fn grant(setup: &Setup, subject: Subject, terms: Terms) -> Result<Outcome, CliError> {
    // The id is used as given: it may be that of a future server, even if the id of another server begins with it.
    warn_of_unknown(setup, &subject.of, &subject.server, subject.tool.as_deref()).await?;
    let expires_at = terms.lifetime.map(from_now).transpose().map_err(CliError::usage)?;
    let params = AccessGrantParams {
        entry_type: subject.entry_type(),
        agent_id: subject.of,
        server_id: subject.server,
        tool_name: subject.tool.into(),
        permission: if terms.deny { AccessDecision::Deny } else { AccessDecision::Allow },
        granted_by: Nullable::Absent,
        justification: terms.reason.into(),
        expires_at: expires_at.map(|end| format!("{end:.3}")).into(),
    };
    let change = change(setup, async |methods| methods.grant(&operator(), params).await).await?;
    Outcome::new(sentence("", &change.entry), &change)
}

pub(super) async fn revoke(setup: &Setup, subject: Subject) -> Result<Outcome, CliError> {
    let subject = subject.of_a_rule(setup).await?;
    let params = AccessRevokeParams {
        entry_type: subject.entry_type(),
        agent_id: subject.of,
        server_id: subject.server,
        tool_name: subject.tool.into(),
    };
    let change = change(setup, async |methods| methods.revoke(&operator(), params).await).await?;
    if change.status == AccessChangeStatus::NotFound {
        let AccessEntry { agent_id, server_id, tool_name, .. } = change.entry;
        let what = tool_name.get().map_or_else(|| server_id.clone(), |tool| format!("{tool} of {server_id}"));
        let error = CliError::new(Exit::NotFound, format!("there is no rule for {agent_id} and {what}"));
        return Err(error.help("see `mgp access list`"));
    }
    if change.entry.granted_by.get().is_some_and(|by| by == "config") {
        note(
            "this rule stands in the configuration, and comes back when a gateway starts; take it out there, or deny it",
        );
    }
    Outcome::new(sentence("no longer: ", &change.entry), &change)
}

/// Changes a rule. Returns when the change is in the audit trail.
async fn change(
    setup: &Setup,
    change: impl AsyncFnOnce(AccessMethods) -> Result<AccessChange, ErrorObject>,
) -> Result<AccessChange, CliError> {
    let (access, log) = (setup.state.access().await?, setup.audit()?);
    let changed = change(AccessMethods::new(access, Arc::new(log.clone()))).await;
    log.flush().await.map_err(CliError::failed)?;
    Ok(changed?)
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
    on_one_line(&format!("{start}{} {may} {what}{end}", entry.agent_id))
}
