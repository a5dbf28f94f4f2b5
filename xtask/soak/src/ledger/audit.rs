//! Compares the audit trail with the calls of the hosts.

use super::{Book, CallEnd, TrailCounts};

/// The result of the comparison.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AuditComparison {
    /// Calls that a server answered.
    pub(crate) answered: u64,
    /// The `TOOL_EXECUTED` events of answered calls.
    pub(crate) executed: u64,
    /// Events of calls that failed or were cut off.
    pub(crate) others: u64,
    /// Descriptions of the disagreements, at most [`MAX_PROBLEMS`]; `wrong` counts all of them.
    pub(crate) problems: Vec<String>,
    pub(crate) wrong: u64,
    /// Calls that were retried.
    pub(crate) retries: u64,
}

/// The most disagreements that are described.
const MAX_PROBLEMS: usize = 10;

/// Compares each call with its events.
pub(crate) fn audit(book: &Book, trail: &TrailCounts) -> AuditComparison {
    let mut audited = AuditComparison { retries: trail.retries, ..AuditComparison::default() };
    for (trace, end) in &book.calls {
        let events = trail.calls.get(trace).copied().unwrap_or_default();
        let all = u64::from(events.executed) + u64::from(events.refused);
        let agrees = if *end == CallEnd::Result {
            audited.answered += 1;
            audited.executed += u64::from(events.executed);
            events.executed == 1 && all == 1
        } else {
            audited.others += all;
            // A call that was cut off, or refused before it was read, may never have become a call of a tool.
            all <= 1
        };
        if !agrees {
            audited.note(format!(
                "call {trace} ended with {end:?} and has {} TOOL_EXECUTED and {} refusals",
                events.executed, events.refused
            ));
        }
    }
    for trace in trail.calls.keys().filter(|trace| !book.calls.contains_key(trace)) {
        audited.note(format!("an event of trace {trace}, which no host sent"));
    }
    if let Some(event) = &trail.strange_first {
        audited.note(format!("{} events of calls that no host made, such as {event}", trail.strange));
        audited.wrong += trail.strange - 1;
    }
    audited
}

impl AuditComparison {
    fn note(&mut self, problem: String) {
        self.wrong += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Trace;
    use mgp_security::audit::EventDraft;
    use mgp_types::{
        audit::AuditEventType,
        context::{Principal, TraceId},
    };

    #[test]
    fn an_answered_call_has_exactly_one_event() {
        let (mut book, mut trail) = (Book::default(), TrailCounts::default());
        for (trace, end) in
            [(1, CallEnd::Result), (2, CallEnd::Result), (3, CallEnd::Failed), (4, CallEnd::Cut)]
        {
            book.calls.insert(Trace::new(trace), end);
        }
        let event = |kind: AuditEventType, trace: &str| {
            let draft = EventDraft::new(kind, &Principal::agent("a"));
            draft.trace(&TraceId::new(trace).unwrap()).finish()
        };
        let trace = |number| Trace::new(number).to_string();
        trail.take(&event(AuditEventType::ToolExecuted, &trace(1)));
        trail.take(&event(AuditEventType::ToolExecuted, &trace(2)));
        trail.take(&event(AuditEventType::ToolBlocked, &trace(3)));
        assert_eq!(
            audit(&book, &trail),
            AuditComparison { answered: 2, executed: 2, others: 1, ..AuditComparison::default() }
        );
        trail.take(&event(AuditEventType::ToolExecuted, &trace(2)));
        trail.take(&event(AuditEventType::ToolExecuted, &trace(3)));
        trail.take(&event(AuditEventType::ToolExecuted, &trace(5)));
        trail.take(&event(AuditEventType::ToolExecuted, "unknown"));
        trail.calls.remove(&Trace::new(1));
        let audited = audit(&book, &trail);
        assert_eq!(audited.wrong, 5, "{audited:?}");
    }
}
