//! The counters of each tool.

use super::{
    label::{Label, label},
    outcome::Outcome,
};
use mgp_types::context::ToolId;
use parking_lot::RwLock;
use prometheus_client::{
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The values of the label `outcome`, in the order of [`Outcome`].
const OUTCOMES: [&str; 5] = ["success", "tool_error", "error", "refused", "cancelled"];

/// The upper bounds of the buckets of a call's duration, in seconds: those of OpenTelemetry's conventions for MCP, and three smaller
/// ones for tools on the same machine.
const CALL_BUCKETS: [f64; 17] =
    [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

type CallLabels = [(&'static str, Label); 3];
type ToolLabels = [(&'static str, Label); 2];

/// The counters of one tool.
#[derive(Debug)]
pub(super) struct ToolMetrics {
    calls: [Counter; OUTCOMES.len()],
    duration: Histogram,
}

/// The counters of the tools, each created by the first call of its tool. Beyond a limit, tools are counted together, because a server
/// can invent endless tools.
#[derive(Debug)]
pub(super) struct ToolTable {
    most: usize,
    calls: Family<CallLabels, Counter>,
    durations: Family<ToolLabels, Histogram>,
    tools: RwLock<HashMap<ToolId, Arc<ToolMetrics>>>,
    /// The counters of unknown names.
    unknown: OnceLock<Arc<ToolMetrics>>,
    /// The counters of the tools beyond the limit.
    other: OnceLock<Arc<ToolMetrics>>,
}

impl ToolMetrics {
    /// Counts a call. Its duration is recorded if it reached a server.
    pub(super) fn count(&self, outcome: Outcome, duration: Option<Duration>) {
        self.calls[outcome as usize].inc();
        if let Some(duration) = duration {
            self.duration.observe(duration.as_secs_f64());
        }
    }
}

impl ToolTable {
    /// Creates a table in which at most `most` tools are counted separately.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            calls: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(CALL_BUCKETS)),
            tools: RwLock::default(),
            unknown: OnceLock::new(),
            other: OnceLock::new(),
        }
    }

    /// Returns the counters of a tool. An unknown name has no server.
    pub(super) fn of(&self, tool: &ToolId) -> Arc<ToolMetrics> {
        if tool.server_id.is_empty() {
            return self.unknown.get_or_init(|| self.create("unknown", "unknown")).clone();
        }
        let is_full = {
            let tools = self.tools.read();
            if let Some(known) = tools.get(tool) {
                return known.clone();
            }
            tools.len() >= self.most
        };
        if !is_full {
            // Created before the table is locked: the families wait while their page is written, and other tools must not.
            let created = self.create(&tool.server_id, &tool.tool_name);
            let mut tools = self.tools.write();
            if tools.len() < self.most || tools.contains_key(tool) {
                return tools.entry(tool.clone()).or_insert(created).clone();
            }
        }
        self.other.get_or_init(|| self.create("other", "other")).clone()
    }

    fn create(&self, server: &str, tool: &str) -> Arc<ToolMetrics> {
        let (server, tool) = (("server", label(server)), ("tool", label(tool)));
        let calls = OUTCOMES.map(|outcome| {
            self.calls.get_or_create_owned(&[server.clone(), tool.clone(), ("outcome", outcome.into())])
        });
        Arc::new(ToolMetrics { calls, duration: self.durations.get_or_create_owned(&[server, tool]) })
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let calls = "The tool calls that have ended, by server, tool and outcome";
        registry.register("tool_calls", calls, self.calls.clone());
        let durations =
            "The time from a call's arrival to its reply, with all waits, of calls that reached a server";
        registry.register_with_unit("tool_call_duration", durations, Unit::Seconds, self.durations.clone());
    }
}
