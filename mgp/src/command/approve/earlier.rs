//! Decisions that somebody else made first, for `mgp approve --open`.

use crate::{
    command::known::is_beginning,
    error::CliError,
    exit::Exit,
    output::{local_time, on_one_line},
    setup::Setup,
};
use jiff::Timestamp;
use mgp_security::audit::AuditFilter;
use mgp_types::audit::{AuditEvent, AuditEventType, AuditResult};

/// The number of the latest events of each type among which a decision is looked for.
const LOOKED_AT: u32 = 1000;

/// A decision that was first.
pub(super) struct EarlierDecision {
    /// The subject of the question.
    pub(super) question: String,
    /// The decision, such as `approved once`.
    pub(super) decision: String,
    /// The name of the decider, if it is known.
    pub(super) by: Option<String>,
    /// The time of the decision, if it is known.
    pub(super) at: Option<Timestamp>,
    /// The command that takes the decision back. `None` if nothing of it is left.
    pub(super) revoked_by: Option<String>,
}

impl EarlierDecision {
    /// Returns the error of a later decision, which names this one and says what to do.
    pub(super) fn error(&self) -> CliError {
        let Self { question, decision, .. } = self;
        let by = self.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
        let at = self.at.map(|at| format!(" at {}", local_time(&format!("{at:.3}")))).unwrap_or_default();
        let sentence = format!("{question} is no longer open: it was {decision}{by}{at}");
        let help = match &self.revoked_by {
            Some(command) => {
                format!("`{command}` takes that back; without --open, your decision replaces it")
            }
            None => "nothing of it is left to take back: the next such request asks anew".to_owned(),
        };
        CliError::new(Exit::Failed, on_one_line(&sentence)).help(help)
    }
}

/// Returns the error of a decision on a question that is gone. If the audit trail has the decision that closed it, the error names
/// that decision; otherwise it is `error`.
pub(super) async fn of_gone(setup: &Setup, id: &str, error: CliError) -> CliError {
    match in_trail(setup, id).await {
        Ok(Some(decision)) => decision.error(),
        Ok(None) => error,
        Err(unread) => {
            tracing::debug!(problem = unread.message(), "the decision on a question cannot be looked up");
            error
        }
    }
}

/// Returns the latest decision on a question from the audit trail, unless it was taken back.
async fn in_trail(setup: &Setup, id: &str) -> Result<Option<EarlierDecision>, CliError> {
    let types: &[&str] = match id.split_once('-') {
        Some(("conf", _)) => {
            &["CALL_APPROVED", "CALL_DENIED", "CALL_APPROVAL_REVOKED", "CALL_DENIAL_REVOKED"]
        }
        Some(("reg", _)) => &["SERVER_REGISTERED", "SERVER_DENIAL_REVOKED"],
        _ => return Ok(None),
    };
    let reader = setup.audit_reader(false).await?;
    let mut latest: Option<AuditEvent> = None;
    for name in types {
        let event_type = Some(AuditEventType::from(format!("dev.cloto.mgp.{name}").as_str()));
        let filter = AuditFilter { event_type, last: LOOKED_AT, ..AuditFilter::default() };
        let events = reader.latest_page(filter).await?.events.into_iter();
        let about = events.filter(|event| asked(event).is_some_and(|asked| is_beginning(id, &asked)));
        latest = latest.into_iter().chain(about).max_by(|one, other| one.timestamp.cmp(&other.timestamp));
    }
    Ok(latest.and_then(|event| decision(&event)))
}

/// Returns the id of the question that an event is about.
fn asked(event: &AuditEvent) -> Option<String> {
    event.details.as_ref()?.text("request_id")
}

fn decision(event: &AuditEvent) -> Option<EarlierDecision> {
    let is_revocation = event.event_type.as_str().ends_with("_REVOKED");
    let decision = match event.result {
        _ if is_revocation => return None,
        AuditResult::Success => {
            let term = event.details.as_ref().and_then(|details| details.text("term"));
            term.map_or_else(|| "approved".to_owned(), |term| format!("approved {term}"))
        }
        AuditResult::Blocked => "denied".to_owned(),
        _ => return None,
    };
    let target = event.target.get();
    let server = target.and_then(|target| target.server_id.get()).map(String::as_str).unwrap_or_default();
    let question = match target.and_then(|target| target.tool_name.get()) {
        Some(tool) => format!("the call of {tool} of {server} ({})", asked(event)?),
        None => format!("the request for server {server} ({})", asked(event)?),
    };
    let (by, at) = (Some(event.actor.id.clone()), event.timestamp.parse().ok());
    Some(EarlierDecision { question, decision, by, at, revoked_by: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_decider_the_time_and_the_remedy() {
        let mut decision = EarlierDecision {
            question: "a\nquestion".into(),
            decision: "denied".into(),
            by: Some("ann".into()),
            at: Some("2026-01-02T03:04:05Z".parse().unwrap()),
            revoked_by: Some("mgp approve conf-1 --revoke".into()),
        };
        let error = decision.error();
        assert_eq!(error.exit, Exit::Failed);
        let text = error.message();
        assert!(text.contains("is no longer open: it was denied by ann at 2026-01-0"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        let advice = error.advice().unwrap();
        assert!(
            advice.contains("`mgp approve conf-1 --revoke`") && advice.contains("without --open"),
            "{advice}"
        );
        decision.revoked_by = None;
        assert!(decision.error().advice().unwrap().contains("asks anew"));
    }
}
