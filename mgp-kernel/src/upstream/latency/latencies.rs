//! The times of the tools of one server.

use super::histogram::LatencyHistogram;
use hashbrown::HashMap;
use mgp_types::tool_metadata::MeasuredLatency;
use parking_lot::RwLock;
use std::{collections::HashSet, sync::Arc, time::Duration};

/// The maximum number of tools of one server whose calls are measured. Later tools are not measured.
const MAX_TOOLS: usize = 1000;

/// The times of a server's tools, by name, since the start of the kernel.
#[derive(Debug, Default)]
pub(in crate::upstream) struct Latencies(RwLock<HashMap<Arc<str>, Arc<LatencyHistogram>>>);

impl Latencies {
    /// Counts the time of a call. Only the first call of a tool allocates.
    pub(in crate::upstream) fn count(&self, tool: &Arc<str>, time: Duration) {
        if let Some(histogram) = self.0.read().get(tool) {
            return histogram.count(time);
        }
        let mut tools = self.0.write();
        if tools.len() < MAX_TOOLS || tools.contains_key(tool) {
            tools.entry(tool.clone()).or_default().count(time);
        }
    }

    /// Returns the times of a tool; `None` if no call of it was measured.
    pub(in crate::upstream) fn of(&self, tool: &str) -> Option<MeasuredLatency> {
        self.0.read().get(tool)?.read()
    }

    /// Returns the times of every measured tool, in the order of their names.
    pub(in crate::upstream) fn all(&self) -> Vec<(Arc<str>, MeasuredLatency)> {
        let tools = self.0.read();
        let mut all: Vec<_> =
            tools.iter().filter_map(|(tool, times)| Some((tool.clone(), times.read()?))).collect();
        drop(tools);
        all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    /// Forgets the tools that a server no longer lists.
    pub(in crate::upstream) fn keep_only<'a>(&self, listed: impl Iterator<Item = &'a str>) {
        let mut tools = self.0.write();
        if !tools.is_empty() {
            let listed: HashSet<&str> = listed.collect();
            tools.retain(|tool, _| listed.contains(&**tool));
        }
    }

    /// Takes over the times of a replaced server.
    pub(in crate::upstream) fn go_on_from(&self, before: &Self) {
        let before = before.0.read().clone();
        *self.0.write() = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> Arc<str> {
        format!("tool-{number:04}").into()
    }

    #[test]
    fn measured_tools_are_bounded_and_removed_ones_are_evicted() {
        let latencies = Latencies::default();
        for number in 0..=MAX_TOOLS {
            latencies.count(&name(number), Duration::from_millis(7));
        }
        latencies.count(&name(0), Duration::from_millis(7));
        assert_eq!((latencies.all().len(), latencies.of(&name(MAX_TOOLS))), (MAX_TOOLS, None));
        assert_eq!(latencies.of(&name(0)).unwrap().calls, 2);
        latencies.keep_only([&*name(0)].into_iter());
        latencies.count(&name(MAX_TOOLS), Duration::from_millis(7));
        let names: Vec<_> = latencies.all().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [name(0), name(MAX_TOOLS)]);
        let next = Latencies::default();
        next.go_on_from(&latencies);
        assert_eq!(next.of(&name(0)).unwrap().calls, 2);
    }
}
