//! Adds events up.

use super::{
    AuditCountQuery, AuditCounts, CountedGroup, CountedSpan, EventCounts,
    event::{CountedDetails, CountedEvent},
    query::Window,
};
use jiff::Timestamp;
use mgp_types::audit::AuditResult;
use std::{cmp::Reverse, collections::HashMap};

/// The bytes of a result that count as a token: a rule of thumb, because models count differently.
const BYTES_PER_TOKEN: u64 = 4;

/// The counts of the events that were read so far.
#[derive(Debug)]
pub(super) struct Tally {
    query: AuditCountQuery,
    pub(super) window: Window,
    read: u64,
    /// The time of the oldest event that was read.
    oldest: i64,
    is_complete: bool,
    total: Sum,
    spans: Vec<Sum>,
    groups: HashMap<(String, Option<String>), Sum>,
}

/// The counts of some events, with the durations and the results of the calls among them.
#[derive(Debug, Clone, Default)]
struct Sum {
    counts: EventCounts,
    durations: Vec<f64>,
    /// The sum of the results' sizes; `None` if no result has one.
    result_bytes: Option<u64>,
}

impl Tally {
    pub(super) fn new(query: AuditCountQuery, now: Timestamp) -> Self {
        let window = query.window(now);
        let length = (window.until - window.since).max(1);
        let spans = usize::try_from((length - 1) / window.span + 1).unwrap_or(1);
        Self {
            query,
            window,
            read: 0,
            oldest: window.until,
            is_complete: true,
            total: Sum::default(),
            spans: vec![Sum::default(); spans],
            groups: HashMap::new(),
        }
    }

    /// Adds an event. Events come in the order of their times, the newest first. Returns false if no more are read.
    pub(super) fn add(&mut self, at: i64, json: &str) -> bool {
        if self.read >= u64::from(self.query.filter.last) {
            self.is_complete = false;
            return false;
        }
        self.read += 1;
        self.oldest = at;
        let Some(event) = CountedEvent::read(json).filter(|event| event.matches(&self.query.filter)) else {
            return true;
        };
        let details = if event.is_call() { event.details() } else { CountedDetails::default() };
        self.total.add(&event, details);
        let span = usize::try_from((at - self.window.since) / self.window.span).unwrap_or_default();
        if let Some(span) = self.spans.get_mut(span) {
            span.add(&event, details);
        }
        if let Some((name, server)) = event.group(self.query.by) {
            let key = (name.to_owned(), server.map(str::to_owned));
            self.groups.entry(key).or_default().add(&event, details);
        }
        true
    }

    pub(super) fn finish(self) -> AuditCounts {
        let Window { since, until, span } = self.window;
        let counted = if self.is_complete { since } else { self.oldest };
        let time = |at: i64| Timestamp::from_microsecond(at).unwrap_or_default();
        let buckets = self.spans.into_iter().zip(0_i64..).map(|(sum, at)| (since + at * span, sum));
        // A span of which only a part was read counts from the oldest event on.
        let buckets = buckets.filter(|(from, _)| from + span > counted);
        let buckets = buckets
            .map(|(from, sum)| CountedSpan { from: time(from.max(counted)), counts: sum.finish() })
            .collect();
        let groups = self.groups.into_iter().map(|((name, server_id), sum)| CountedGroup {
            name,
            server_id,
            counts: sum.finish(),
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by(|a, b| {
            let key = |group: &CountedGroup| {
                let counts = &group.counts;
                Reverse((counts.calls + counts.refused, counts.events))
            };
            key(a).cmp(&key(b)).then_with(|| (&a.name, &a.server_id).cmp(&(&b.name, &b.server_id)))
        });
        let left_out = groups.len().saturating_sub(self.query.groups);
        groups.truncate(self.query.groups);
        AuditCounts {
            since: time(counted),
            until: time(until),
            complete: self.is_complete,
            read: self.read,
            bucket_secs: span as f64 / 1_000_000.0,
            total: self.total.finish(),
            buckets,
            groups,
            left_out,
        }
    }
}

impl Sum {
    fn add(&mut self, event: &CountedEvent<'_>, details: CountedDetails) {
        let counts = &mut self.counts;
        counts.events += 1;
        counts.refused += u64::from(event.is_refusal());
        if event.is_call() {
            counts.calls += 1;
            counts.failed += u64::from(event.has_result(AuditResult::Failure));
        }
        self.durations.extend(details.duration_ms);
        if let Some(bytes) = details.result_bytes {
            self.result_bytes = Some(self.result_bytes.unwrap_or_default().saturating_add(bytes));
        }
    }

    fn finish(mut self) -> EventCounts {
        let mut percentile = |part: usize| {
            let last = (self.durations.len() * part).div_ceil(100).checked_sub(1)?;
            Some(*self.durations.select_nth_unstable_by(last, f64::total_cmp).1)
        };
        let (p50_ms, p95_ms) = (percentile(50), percentile(95));
        let tokens = self.result_bytes.map(|bytes| bytes.div_ceil(BYTES_PER_TOKEN));
        EventCounts { p50_ms, p95_ms, tokens, ..self.counts }
    }
}
