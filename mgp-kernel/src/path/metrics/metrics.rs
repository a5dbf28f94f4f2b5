//! All counters of a kernel, and their text form.

use super::{
    collector::{KernelCollector, ScrapedParts},
    label::{Label, label},
    tools::{ToolMetrics, ToolTable},
};
use crate::catalog::tool_index::SearchTimes;
use mgp_transport::seam::RefusalKind;
use mgp_types::{
    audit::AuditEvent,
    context::{ActorType, ToolId},
};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

/// The media type of the text of [`Kernel::metrics`](crate::Kernel::metrics).
pub const METRICS_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the buckets of short durations, in seconds.
const SHORT_BUCKETS: [f64; 12] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/// A function that counts TCP connections: those with an authenticated request, and the others.
type CountConnections = Box<dyn Fn() -> (usize, usize) + Send + Sync>;

/// All counters of a kernel.
pub(crate) struct Metrics {
    tools: ToolTable,
    refusals: Family<[(&'static str, &'static str); 1], Counter>,
    events: Family<[(&'static str, Label); 2], Counter>,
    /// The time for storing events.
    storing: Histogram,
    /// The events that are not stored yet.
    unstored: Gauge,
    searches: Histogram,
    connections: OnceLock<CountConnections>,
    /// The name of the kernel among replicas.
    replica: OnceLock<String>,
}

impl Metrics {
    /// Creates the counters, all at zero. At most `tools` tools are counted separately.
    pub(crate) fn new(tools: usize) -> Self {
        Self {
            tools: ToolTable::new(tools),
            refusals: Family::default(),
            events: Family::default(),
            storing: Histogram::new(SHORT_BUCKETS),
            unstored: Gauge::default(),
            searches: Histogram::new(SHORT_BUCKETS),
            connections: OnceLock::new(),
            replica: OnceLock::new(),
        }
    }

    /// Returns the counters of a tool.
    pub(super) fn tool(&self, tool: &ToolId) -> Arc<ToolMetrics> {
        self.tools.of(tool)
    }

    /// Counts a call that reached no server, by the gate that refused it.
    pub(super) fn refused(&self, gate: Option<RefusalKind>) {
        self.refusals.get_or_create(&[("gate", gate.map_or("other", RefusalKind::as_str))]).inc();
    }

    /// Counts an event of the audit trail, and measures the time for storing it until the returned timer is dropped.
    pub(super) fn storing(self: &Arc<Self>, event: &AuditEvent) -> StoreTimer {
        // A server could invent endless types.
        let is_of_server = event.actor.kind == ActorType::Server;
        let kind = if is_of_server { "reported_by_server" } else { event.event_type.as_str() };
        let result = label(&event.result.to_string().to_ascii_lowercase());
        self.events.get_or_create(&[("type", label(kind)), ("result", result)]).inc();
        self.unstored.inc();
        StoreTimer { metrics: self.clone(), started: Instant::now() }
    }

    /// Sets the function that counts TCP connections. Only the first call has an effect.
    pub(crate) fn count_connections(&self, count: impl Fn() -> (usize, usize) + Send + Sync + 'static) {
        let _ = self.connections.set(Box::new(count));
    }

    /// Sets the name of the kernel among replicas, which is a label of every metric. Only the first call has an effect.
    pub(crate) fn name_replica(&self, name: &str) {
        let _ = self.replica.set(name.to_owned());
    }

    /// Returns the text of all counters, and of the values that are read at a scrape.
    pub(crate) fn text(&self, parts: ScrapedParts) -> String {
        let labels = self.replica.get().map(|name| ("replica".into(), name.clone().into()));
        let mut registry = Registry::with_prefix_and_labels("mgp", labels.into_iter());
        self.register(&mut registry);
        let connections = self.connections.get().map(|count| count());
        registry.register_collector(Box::new(KernelCollector { parts, connections }));
        let mut text = String::new();
        if encode(&mut text, &registry).is_err() {
            // Writing to a string fails only if a value cannot be written.
            tracing::error!("the metrics could not be written");
            return "# EOF\n".to_owned();
        }
        text
    }

    /// Registers the counters, without the values that are read at a scrape.
    pub(super) fn register(&self, registry: &mut Registry) {
        self.tools.register(registry);
        let refusals = "The tool calls that reached no server, by the gate that refused them";
        registry.register("refusals", refusals, self.refusals.clone());
        registry.register("audit_events", "The events of the audit trail", self.events.clone());
        let storing = "The time until an event of the audit trail is stored";
        registry.register_with_unit("audit_store_duration", storing, Unit::Seconds, self.storing.clone());
        let unstored = "The events of the audit trail that are not stored yet";
        registry.register("audit_unstored_events", unstored, self.unstored.clone());
        let searches = "The time of searches of tools";
        registry.register_with_unit("tool_search_duration", searches, Unit::Seconds, self.searches.clone());
    }
}

/// A timer for storing an event, which stops when it is dropped.
#[derive(Debug)]
pub(super) struct StoreTimer {
    metrics: Arc<Metrics>,
    started: Instant,
}

impl Drop for StoreTimer {
    fn drop(&mut self) {
        self.metrics.unstored.dec();
        self.metrics.storing.observe(self.started.elapsed().as_secs_f64());
    }
}

impl SearchTimes for Metrics {
    fn searched(&self, time: Duration) {
        self.searches.observe(time.as_secs_f64());
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("tools", &self.tools).finish_non_exhaustive()
    }
}
