//! §6 Compares the stored audit events with the expected ones.

use mgp_security::audit::{AuditLog, REQUEST_BLOCKED};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditReplayParams, AuditResult},
    json::RawJson,
    rpc::ErrorObject,
};
use std::{borrow::Cow, fmt, time::Duration};

/// An event that must be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpectedEvent {
    event: AuditEventType,
    result: AuditResult,
    actor: &'static str,
    /// The server's id; empty if the event is not about a server.
    server: Cow<'static, str>,
    tool: Option<Cow<'static, str>>,
    detail: Option<(&'static str, &'static str)>,
    anytime: bool,
}

impl ExpectedEvent {
    /// Creates an event of an actor about a server, which comes after those that were expected before.
    pub(super) fn new(
        event: AuditEventType,
        actor: &'static str,
        server: impl Into<Cow<'static, str>>,
    ) -> Self {
        let server = server.into();
        Self { event, result: AuditResult::Success, actor, server, tool: None, detail: None, anytime: false }
    }

    /// Creates an event of the kernel's own actions, which are concurrent with the calls.
    pub(super) fn by_kernel(event: AuditEventType, server: impl Into<Cow<'static, str>>) -> Self {
        Self::new(event, "kernel", server).anytime()
    }

    /// Creates the event of an intended change of rights, which is stored before the change is made.
    pub(super) fn intended(actor: &'static str, server: impl Into<Cow<'static, str>>) -> Self {
        Self::new(AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED"), actor, server)
    }

    /// Creates the event of a dangerous call, which is stored before the call is sent.
    pub(super) fn dispatched(
        actor: &'static str,
        server: impl Into<Cow<'static, str>>,
        tool: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(AuditEventType::from("dev.cloto.mgp.TOOL_DISPATCHED"), actor, server).tool(tool)
    }

    /// Creates the event of a question that waits for an approval.
    pub(super) fn needed(server: &'static str) -> Self {
        Self::by_kernel(AuditEventType::from("dev.cloto.mgp.APPROVAL_NEEDED"), server)
    }

    /// Creates the event of a refused request that names no tool.
    pub(super) fn refused(actor: &'static str) -> Self {
        Self::new(AuditEventType::from(REQUEST_BLOCKED), actor, "").result(AuditResult::Blocked)
    }

    /// Creates the event of a call that reached its server and succeeded.
    pub(super) fn executed(
        actor: &'static str,
        server: impl Into<Cow<'static, str>>,
        tool: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(AuditEventType::ToolExecuted, actor, server).tool(tool)
    }

    pub(super) fn tool(self, tool: impl Into<Cow<'static, str>>) -> Self {
        Self { tool: Some(tool.into()), ..self }
    }

    pub(super) fn result(self, result: AuditResult) -> Self {
        Self { result, ..self }
    }

    /// Expects a member of the details, as JSON.
    pub(super) fn detail(self, key: &'static str, json: &'static str) -> Self {
        Self { detail: Some((key, json)), ..self }
    }

    /// Allows the event at any position.
    pub(super) fn anytime(self) -> Self {
        Self { anytime: true, ..self }
    }

    fn is(&self, event: &AuditEvent) -> bool {
        let target = event.target.get();
        let server = Some(&*self.server).filter(|server| !server.is_empty());
        let of_target = |found: Option<&String>, wanted: Option<&str>| found.map(String::as_str) == wanted;
        self.event == event.event_type
            && self.result == event.result
            && self.actor == event.actor.id
            && of_target(target.and_then(|target| target.server_id.get()), server)
            && of_target(target.and_then(|target| target.tool_name.get()), self.tool.as_deref())
            && self.detail.is_none_or(|(key, json)| {
                let found = event.details.as_ref().and_then(|details| details.get(key));
                found.map(RawJson::as_str) == Some(json)
            })
    }
}

impl fmt::Display for ExpectedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, result, actor, server, tool, detail, anytime: _ } = self;
        write!(f, "{} {result} by {actor}", event.as_str())?;
        if !server.is_empty() {
            write!(f, " on {server}")?;
        }
        if let Some(tool) = tool {
            write!(f, "/{tool}")?;
        }
        if let Some((key, json)) = detail {
            write!(f, " with {key} {json}")?;
        }
        Ok(())
    }
}

/// Returns the differences between the expected and the stored events. Expected events must be stored in order, except for those
/// that may be stored at any time. Other events must not be stored.
pub(super) fn compare(expected: &[ExpectedEvent], stored: &[AuditEvent]) -> Vec<String> {
    let mut stored: Vec<_> = stored.iter().collect();
    let mut problems = Vec::new();
    let (anytime, ordered): (Vec<_>, Vec<_>) = expected.iter().partition(|event| event.anytime);
    for wanted in anytime {
        match stored.iter().position(|event| wanted.is(event)) {
            Some(at) => drop(stored.remove(at)),
            None => problems.push(format!("the audit trail lacks {wanted}")),
        }
    }
    let mut stored = stored.into_iter();
    for wanted in ordered {
        let at = stored.as_slice().iter().position(|event| wanted.is(event));
        match at {
            Some(before) => {
                problems.extend(stored.by_ref().take(before).map(one_too_many));
                stored.next();
            }
            None => problems.push(format!("the audit trail lacks {wanted} in its place")),
        }
    }
    problems.extend(stored.map(one_too_many));
    problems
}

fn one_too_many(event: &AuditEvent) -> String {
    let text = serde_json::to_string(event).unwrap_or_else(|_| event.event_type.as_str().to_owned());
    format!("the audit trail holds one too many: {text}")
}

/// The stored events, read from the file.
#[derive(Debug)]
pub(super) struct Trail {
    log: AuditLog,
}

/// The maximum number of events per read.
const PAGE: u32 = 1000;
/// The interval between two reads of the file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

impl Trail {
    pub(super) fn new(log: AuditLog) -> Self {
        Self { log }
    }

    /// Returns every event after a number.
    pub(super) async fn since(&self, number: u64) -> Result<Vec<AuditEvent>, ErrorObject> {
        let (mut events, mut after) = (Vec::new(), number);
        loop {
            let params = AuditReplayParams {
                since_seq: Some(after),
                limit: Some(PAGE),
                ..AuditReplayParams::default()
            };
            let page = self.log.replay(params).await?;
            events.extend(page.events);
            after = page.next_seq;
            if !page.has_more {
                return Ok(events);
            }
        }
    }

    /// Returns the events after a number, once there are enough of them or the time limit has passed. The kernel's own events are
    /// stored concurrently with the replies, not before them.
    pub(super) async fn settled(
        &self,
        number: u64,
        count: usize,
        limit: Duration,
    ) -> Result<Vec<AuditEvent>, ErrorObject> {
        let end = tokio::time::Instant::now() + limit;
        loop {
            let events = self.since(number).await?;
            if events.len() >= count || tokio::time::Instant::now() >= end {
                return Ok(events);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_security::audit::EventDraft;
    use mgp_types::context::{ActorType, Principal};

    fn by_agent(server: &str, tool: &str) -> AuditEvent {
        let agent = Principal::agent("a");
        EventDraft::new(AuditEventType::ToolExecuted, &agent)
            .server(server)
            .tool(tool)
            .detail("n", &1)
            .finish()
    }

    fn connected(server: &str) -> AuditEvent {
        let kernel = Principal::new("kernel", ActorType::Kernel, false);
        EventDraft::new(AuditEventType::ServerConnected, &kernel).server(server).finish()
    }

    #[test]
    fn calls_must_be_in_order_except_those_allowed_anytime() {
        let wanted = [
            ExpectedEvent::executed("a", "s", "first"),
            ExpectedEvent::by_kernel(AuditEventType::ServerConnected, "s"),
            ExpectedEvent::executed("a", "s", "second").detail("n", "1"),
            ExpectedEvent::by_kernel(AuditEventType::ServerConnected, "t"),
        ];
        let (first, second) = (by_agent("s", "first"), by_agent("s", "second"));
        let stored = [connected("t"), first.clone(), second.clone(), connected("s")];
        assert_eq!(compare(&wanted, &stored), [""; 0]);
        let swapped = [connected("t"), second, first, connected("s")];
        assert_eq!(
            compare(&wanted, &swapped).len(),
            2,
            "one is missing in its place, one stands where it must not"
        );
    }

    #[test]
    fn a_missing_extra_or_different_event_is_a_problem() {
        let wanted = [ExpectedEvent::executed("a", "s", "t").detail("n", "1")];
        let problems = |stored: &[AuditEvent]| compare(&wanted, stored).len();
        assert_eq!(problems(&[by_agent("s", "t")]), 0);
        assert_eq!(problems(&[]), 1);
        assert_eq!(problems(&[by_agent("s", "t"), by_agent("s", "t")]), 1);
        assert_eq!(problems(&[by_agent("s", "t"), connected("s")]), 1);
        let changed = |change: fn(&mut AuditEvent)| {
            let mut event = by_agent("s", "t");
            change(&mut event);
            problems(&[event])
        };
        assert!(changed(|event| event.result = AuditResult::Blocked) > 0);
        assert!(changed(|event| event.event_type = AuditEventType::ToolBlocked) > 0);
        assert!(changed(|event| event.actor.id = "b".to_owned()) > 0);
        assert!(changed(|event| event.details = None) > 0);
        assert!(problems(&[by_agent("other", "t")]) > 0 && problems(&[by_agent("s", "other")]) > 0);
    }
}
