//! The filters of commands on events.

use crate::{command::known::known_id, duration::duration, error::CliError, options::Options};
use clap::Args;
use jiff::Timestamp;
use mgp_security::audit::{AuditFilter, AuditReader, EventPlace};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::TraceId,
};

/// The filters. `--agent` is one, too.
#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    /// Only events about this server
    #[arg(long, value_name = "ID")]
    server: Option<String>,
    /// Only events of this type, such as TOOL_BLOCKED
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Only events about this tool, by its server's own name
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only events with this outcome: SUCCESS, FAILURE or BLOCKED
    #[arg(long, value_name = "RESULT")]
    result: Option<String>,
    /// Only events since a time, such as 2026-11-20T10:00:00Z, or not older than a duration, such as 30m or 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only events before a time, or older than a duration
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

/// The filters of commands that read events one by one.
#[derive(Debug, Args)]
pub(super) struct EventFilterArgs {
    /// Only events of this trace, by its id or an unambiguous beginning of it
    #[arg(long, value_name = "ID")]
    trace: Option<String>,
    /// Only events before the event with this number, which is SEQ (`_mgp.seq`), or TRAIL:SEQ in a database
    #[arg(long, value_name = "SEQ", value_parser = place)]
    before: Option<EventPlace>,
    #[command(flatten)]
    filter: FilterArgs,
}

/// The maximum number of traces looked up for the beginning of an id.
const MAX_MEANT: u32 = 8;

/// The prefix of the gateway's own event types, which are not in the specification.
pub(super) const NAMESPACE: &str = "dev.cloto.mgp.";
/// The gateway's own event types, without their prefix.
const OWN: [&str; 43] = [
    "APPROVAL_NEEDED",
    "AUDIT_FILE_REPLACED",
    "AUDIT_INTERRUPTED",
    "AUDIT_JOURNAL_DAMAGED",
    "AUDIT_SHORTENED",
    "AUTHENTICATION_FAILED",
    "CALL_APPROVAL_REVOKED",
    "CALL_APPROVED",
    "CALL_DENIAL_REVOKED",
    "CALL_DENIED",
    "CHANGE_INTENDED",
    "CONFIGURATION_RELOADED",
    "DEFINITION_ACCEPTED",
    "DEFINITION_FORGOTTEN",
    "EGRESS_REFUSED",
    "EVENT_UNREADABLE",
    "HOST_ASKED",
    "KERNEL_STOPPED",
    "KEY_ADDED",
    "KEY_REVOKED",
    "KEY_ROTATED",
    "PERMISSION_DENIAL_REVOKED",
    "REQUEST_BLOCKED",
    "REQUEST_FORWARDED",
    "SECRET_FOUND",
    "SECRET_REMOVED",
    "SECRET_STORED",
    "SERVER_CONTROLLED",
    "SERVER_DENIAL_REVOKED",
    "SERVER_DEREGISTERED",
    "SERVER_REGISTERED",
    "TOOLS_REQUESTED",
    "TOOL_CHECKED",
    "TOOL_CREATED",
    "TOOL_REMOVED",
    "TOOL_CHANGED",
    "TOOL_DISPATCHED",
    "TOOL_RETRIED",
    "TOOL_SUSPECT",
    "TRANSACTION_BEGUN",
    "TRANSACTION_COMMITTED",
    "TRANSACTION_ROLLBACK_BEGUN",
    "TRANSACTION_ROLLED_BACK",
];

impl FilterArgs {
    /// Returns the filter of the options that are given.
    pub(super) fn filter(&self, options: &Options) -> Result<AuditFilter, CliError> {
        let event_type = self.event_type.as_deref().map(event_type);
        if let Some(AuditEventType::Custom(name)) = &event_type
            && !name.contains('.')
        {
            let known: Vec<_> =
                AuditEventType::STANDARD.iter().map(AuditEventType::as_str).chain(OWN).collect();
            return Err(CliError::usage(format!("{name:?} is not a type of event"))
                .help(format!("use one of {}", known.join(", "))));
        }
        Ok(AuditFilter {
            actor_id: options.agent.clone(),
            server_id: self.server.clone(),
            tool_name: self.tool.clone(),
            event_type,
            result: self.result.as_deref().map(result).transpose()?,
            since: self.since.as_deref().map(|text| time("since", text)).transpose()?,
            until: self.until.as_deref().map(|text| time("until", text)).transpose()?,
            ..AuditFilter::default()
        })
    }
}

impl EventFilterArgs {
    /// Returns the filter of the options that are given, for the events of a trail.
    pub(super) async fn filter(
        &self,
        options: &Options,
        trail: &dyn AuditReader,
    ) -> Result<AuditFilter, CliError> {
        let filter = self.filter.filter(options)?;
        let trace = match &self.trace {
            Some(given) => Some(trace(trail, given).await?),
            None => None,
        };
        Ok(AuditFilter { trace, before: self.before.clone(), ..filter })
    }
}

/// Returns the trace with this id, or with an unambiguous beginning of it. An id without events is accepted as it is.
async fn trace(log: &dyn AuditReader, given: &str) -> Result<TraceId, CliError> {
    let read = |id: &str| {
        TraceId::new(id).ok_or_else(|| CliError::usage(format!("{id:?} is not the id of a trace")))
    };
    let exact = read(given)?;
    let known = log.traces(given, MAX_MEANT).await?;
    match known_id("trace", given, known.iter().map(String::as_str)) {
        Ok(id) => read(id),
        Err(_) if known.is_empty() => Ok(exact),
        Err(problem) => Err(CliError::usage(problem)),
    }
}

/// Parses an event type. A name with a dot is taken as it is. For the gateway's own types, the part after the prefix is enough.
fn event_type(name: &str) -> AuditEventType {
    if name.contains('.') {
        return name.into();
    }
    let name = name.to_uppercase();
    if OWN.contains(&&*name) { format!("{NAMESPACE}{name}").as_str().into() } else { name.as_str().into() }
}

fn result(name: &str) -> Result<AuditResult, CliError> {
    name.to_uppercase().parse().map_err(|_| {
        CliError::usage(format!("{name:?} is not an outcome")).help("use one of SUCCESS, FAILURE, BLOCKED")
    })
}

/// Parses the value of an option: a time, or a duration before now.
fn time(option: &str, text: &str) -> Result<Timestamp, CliError> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let wrong = || {
        let help = "use a time such as 2026-11-20T10:00:00Z, or a span of time such as 30m, 8h or 7d";
        CliError::usage(format!("--{option} {text:?} is not a time")).help(help)
    };
    let span = duration(text).map_err(|_| wrong())?;
    Timestamp::now().checked_sub(span).map_err(|_| wrong())
}

/// Parses the place of an event: `SEQ`, or `TRAIL:SEQ`.
fn place(text: &str) -> Result<EventPlace, String> {
    let (trail, seq) = text.rsplit_once(':').map_or((None, text), |(trail, seq)| (Some(trail), seq));
    let seq = seq.parse().map_err(|_| "expected SEQ or TRAIL:SEQ, such as 4711".to_owned())?;
    Ok(EventPlace { trail: trail.map(str::to_owned), seq })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_event_has_a_number_and_maybe_a_trail() {
        assert_eq!(place("7"), Ok(EventPlace { trail: None, seq: 7 }));
        assert_eq!(place("ab:7"), Ok(EventPlace { trail: Some("ab".to_owned()), seq: 7 }));
        for wrong in ["", "x", "-1", "ab:", "7:ab"] {
            assert!(place(wrong).is_err_and(|error| error.contains("TRAIL:SEQ")), "{wrong}");
        }
    }
}
