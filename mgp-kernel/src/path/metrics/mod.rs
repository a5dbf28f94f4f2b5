//! §10.2 The metrics of a kernel, in the text format of Prometheus, and the calls of the last minutes for `mgp status`. The calls of the last
//! minutes are always counted. A kernel without metrics has neither the counters nor the sink.
//!
//! | file | content |
//! |---|---|
//! | `counters.rs` | the counters of calls |
//! | `metrics.rs` | all counters for Prometheus, and their text form |
//! | `traffic/` | the calls of the last minutes |
//! | `tools.rs` | the counters of each tool, and the limit on their number |
//! | `layer.rs`, `service.rs`, `open_call.rs`, `outcome.rs` | the layer that counts calls |
//! | `sink.rs` | the sink that counts events of the audit trail |
//! | `collector.rs` | values that are read at each scrape: servers, queues, hosts |
//! | `label.rs` | names as label values |

#[cfg(feature = "metrics")]
mod collector;
mod counters;
#[cfg(feature = "metrics")]
mod label;
mod layer;
#[cfg(feature = "metrics")]
#[expect(clippy::module_inception, reason = "the metrics are named for what they are")]
mod metrics;
mod open_call;
mod outcome;
mod service;
#[cfg(feature = "metrics")]
mod sink;
#[cfg(test)]
#[cfg(feature = "metrics")]
mod tests;
#[cfg(feature = "metrics")]
mod tools;
mod traffic;

#[cfg(feature = "metrics")]
pub(crate) use collector::ScrapedParts;
pub(crate) use counters::CallCounters;
pub(crate) use layer::CountCallsLayer;
#[cfg(feature = "metrics")]
pub use metrics::METRICS_CONTENT_TYPE;
#[cfg(feature = "metrics")]
pub(crate) use metrics::Metrics;
#[cfg(feature = "metrics")]
pub(crate) use sink::CountingSink;
pub(crate) use traffic::Traffic;
