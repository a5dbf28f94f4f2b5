//! One span, from its start to its end.

use mgp_types::context::TraceId;
use opentelemetry::{
    InstrumentationScope, KeyValue, Value,
    trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceState},
};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use sha2::{Digest, Sha256};
use std::{fmt, time::SystemTime};
use tracing::field::{Field, Visit};

/// One span, from its start to its end. Fields with a counterpart in OTLP are converted; the others become attributes.
#[derive(Debug)]
pub(super) struct OpenSpan {
    started: SystemTime,
    name: String,
    kind: SpanKind,
    trace: Option<String>,
    is_sampled: bool,
    id: u64,
    parent: u64,
    status: Status,
    attributes: Vec<KeyValue>,
}

impl OpenSpan {
    /// Begins a span now.
    pub(super) fn now(name: &str) -> Self {
        Self {
            started: SystemTime::now(),
            name: name.to_owned(),
            kind: SpanKind::Internal,
            trace: None,
            is_sampled: true,
            id: 0,
            parent: 0,
            status: Status::Unset,
            attributes: Vec::new(),
        }
    }

    /// Ends the span now. Returns `None` if its trace is not recorded, or if it has no trace.
    pub(super) fn end(mut self) -> Option<SpanData> {
        let trace = self.trace.take().filter(|_| self.is_sampled && self.id != 0)?;
        let context = SpanContext::new(
            number(&trace).into(),
            self.id.into(),
            TraceFlags::SAMPLED,
            false,
            TraceState::NONE,
        );
        // The id of the trace in the audit trail.
        self.attributes.push(KeyValue::new("mgp.trace.id", trace));
        Some(SpanData {
            span_context: context,
            parent_span_id: SpanId::from(self.parent),
            parent_span_is_remote: self.kind == SpanKind::Server,
            span_kind: self.kind,
            name: self.name.into(),
            start_time: self.started,
            end_time: SystemTime::now(),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: self.status,
            instrumentation_scope: InstrumentationScope::builder("mgp")
                .with_version(env!("CARGO_PKG_VERSION"))
                .build(),
        })
    }

    fn attribute(&mut self, field: &Field, value: impl Into<Value>) {
        let attribute = KeyValue::new(field.name(), value);
        match self.attributes.iter_mut().find(|known| known.key == attribute.key) {
            Some(known) => *known = attribute,
            None => self.attributes.push(attribute),
        }
    }
}

/// Returns a trace's number in W3C's form. A caller's trace id in another form is mapped to a number, the same for each of its spans.
fn number(trace: &str) -> u128 {
    let header = TraceId::new(trace).and_then(|trace| trace.traceparent(1, true));
    let number = header.and_then(|header| u128::from_str_radix(header.get(3..35)?, 16).ok());
    number.filter(|number| *number != 0).unwrap_or_else(|| {
        let hash = Sha256::digest(trace.as_bytes());
        hash.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
    })
}

impl Visit for OpenSpan {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.attribute(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "otel.name" => value.clone_into(&mut self.name),
            "otel.kind" => {
                self.kind = if value == "client" { SpanKind::Client } else { SpanKind::Server };
            }
            "otel.status_code" => self.status = Status::error(""),
            "trace_id" => self.trace = Some(value.to_owned()),
            _ => self.attribute(field, value.to_owned()),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "span_id" => self.id = value,
            "parent_span_id" => self.parent = value,
            _ => self.attribute(field, value.to_string()),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "trace_sampled" => self.is_sampled = value,
            _ => self.attribute(field, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_trace_id_gets_the_same_number_each_time() {
        assert_eq!(number("0af7651916cd43dd8448eb211c80319c"), 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!(number("550e8400-e29b-41d4-a716-446655440000"), 0x550e_8400_e29b_41d4_a716_4466_5544_0000);
        assert_eq!(number("t-1"), number("t-1"));
        assert!(number("t-1") != number("t-2") && number(&"0".repeat(32)) != 0);
    }

    #[test]
    fn a_trace_that_is_not_recorded_is_not_sent() {
        let span = || OpenSpan { trace: Some("t-1".into()), id: 1, ..OpenSpan::now("x") };
        assert!(span().end().is_some());
        assert!(OpenSpan { is_sampled: false, ..span() }.end().is_none());
        assert!(OpenSpan { trace: None, ..span() }.end().is_none());
    }
}
