//! Compares the audit trail with the calls that hosts made.

use super::{Book, CallEnd};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    json::Nullable,
};
use std::collections::BTreeMap;

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
}

/// The most disagreements that are described.
const MAX_PROBLEMS: usize = 10;

/// The events of one call.
#[derive(Debug, Default)]
struct Events {
    executed: u64,
    refused: u64,
}

/// Compares each call with its events.
pub(crate) fn audit(book: &Book, events: &[AuditEvent]) -> AuditComparison {
    let mut by_trace: BTreeMap<&str, Events> = BTreeMap::new();
    for event in events {
        let Nullable::Value(trace) = &event.trace_id else { continue };
        let of_call = by_trace.entry(trace).or_default();
        match event.event_type {
            AuditEventType::ToolExecuted => of_call.executed += 1,
            AuditEventType::ToolBlocked | AuditEventType::ValidationFailed | AuditEventType::CodeRejected => {
                of_call.refused += 1;
            }
            _ => {}
        }
    }
    let mut audited = AuditComparison::default();
    for (trace, end) in &book.calls {
        let events = by_trace.remove(trace.as_str()).unwrap_or_default();
        let all = events.executed + events.refused;
        let agrees = if *end == CallEnd::Result {
            audited.answered += 1;
            audited.executed += events.executed;
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
    for (trace, events) in by_trace {
        if events.executed + events.refused > 0 {
            audited.note(format!("an event of trace {trace}, which no host sent"));
        }
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
    use mgp_security::audit::EventDraft;
    use mgp_types::context::{Principal, TraceId};

    fn event(kind: AuditEventType, trace: &str) -> AuditEvent {
        let draft = EventDraft::new(kind, &Principal::agent("a"));
        draft.trace(&TraceId::new(trace).unwrap()).finish()
    }

    #[test]
    fn an_answered_call_needs_its_one_event_and_no_call_may_have_two() {
        let mut book = Book::default();
        for (trace, end) in
            [("a", CallEnd::Result), ("b", CallEnd::Result), ("c", CallEnd::Failed), ("d", CallEnd::Cut)]
        {
            book.calls.insert(trace.to_owned(), end);
        }
        let mut events = vec![
            event(AuditEventType::ToolExecuted, "a"),
            event(AuditEventType::ToolExecuted, "b"),
            event(AuditEventType::ToolBlocked, "c"),
        ];
        assert_eq!(
            audit(&book, &events),
            AuditComparison { answered: 2, executed: 2, others: 1, ..AuditComparison::default() }
        );
        events.push(event(AuditEventType::ToolExecuted, "b"));
        events.push(event(AuditEventType::ToolExecuted, "c"));
        events.push(event(AuditEventType::ToolExecuted, "unknown"));
        events.remove(0);
        let audited = audit(&book, &events);
        assert_eq!(audited.wrong, 4, "{audited:?}");
    }
}
