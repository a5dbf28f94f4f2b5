//! The parts of a stored event that are counted.

use super::CountBy;
use crate::audit::{AuditFilter, TOOL_CHECKED};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::TraceId,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A stored event, of which only some parts are read.
#[derive(Debug, Deserialize)]
pub(super) struct CountedEvent<'a> {
    #[serde(borrow)]
    event_type: Cow<'a, str>,
    #[serde(borrow)]
    result: Cow<'a, str>,
    #[serde(borrow)]
    actor: CountedActor<'a>,
    target: Option<CountedTarget>,
    trace_id: Option<String>,
    #[serde(borrow)]
    details: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct CountedActor<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

#[derive(Debug, Default, Deserialize)]
struct CountedTarget {
    server_id: Option<String>,
    tool_name: Option<String>,
}

/// The details of a call.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct CountedDetails {
    pub(super) duration_ms: Option<f64>,
    pub(super) result_bytes: Option<u64>,
}

impl<'a> CountedEvent<'a> {
    /// Reads an event; `None` if it cannot be read.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(super) fn matches(&self, filter: &AuditFilter) -> bool {
        let is =
            |wanted: Option<&str>, found: Option<&str>| wanted.is_none_or(|wanted| found == Some(wanted));
        is(filter.actor_id.as_deref(), Some(&self.actor.id))
            && is(filter.server_id.as_deref(), self.server())
            && is(filter.tool_name.as_deref(), self.tool())
            && is(filter.event_type.as_ref().map(AuditEventType::as_str), Some(&self.event_type))
            && is(filter.result.map(AuditResult::as_str), Some(&self.result))
            && is(filter.trace.as_ref().map(TraceId::as_str), self.trace_id.as_deref())
    }

    /// Returns the name of the event's group, and the server of a tool; `None` for an event without one.
    pub(super) fn group(&self, by: CountBy) -> Option<(&str, Option<&str>)> {
        let (name, server) = match by {
            CountBy::Agent => (Some(&*self.actor.id), None),
            CountBy::Server => (self.server(), None),
            CountBy::Tool => (self.tool(), self.server()),
            CountBy::Type => (Some(&*self.event_type), None),
            CountBy::Result => (Some(&*self.result), None),
        };
        Some((name.filter(|name| !name.is_empty())?, server))
    }

    /// Returns whether the event is that of a call which reached its tool.
    pub(super) fn is_call(&self) -> bool {
        self.event_type == AuditEventType::ToolExecuted.as_str()
    }

    /// Returns whether the event is the refusal of a request. A dry run only foresees one.
    pub(super) fn is_refusal(&self) -> bool {
        self.has_result(AuditResult::Blocked) && self.event_type != TOOL_CHECKED
    }

    pub(super) fn has_result(&self, result: AuditResult) -> bool {
        self.result == result.as_str()
    }

    /// Returns the details of a call that are counted, as far as they can be read.
    pub(super) fn details(&self) -> CountedDetails {
        let read =
            self.details.and_then(|details| serde_json::from_str::<CountedDetails>(details.get()).ok());
        let details = read.unwrap_or_default();
        CountedDetails { duration_ms: details.duration_ms.filter(|duration| *duration >= 0.0), ..details }
    }

    fn server(&self) -> Option<&str> {
        self.target.as_ref()?.server_id.as_deref()
    }

    fn tool(&self) -> Option<&str> {
        self.target.as_ref()?.tool_name.as_deref()
    }
}
