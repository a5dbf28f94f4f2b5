//! §10.2 The metrics of a kernel, in the text format of Prometheus. A kernel that counts nothing has neither the layer nor the sink.
//!
//! | file | content |
//! |---|---|
//! | `metrics.rs` | all counters, and their text form |
//! | `tools.rs` | the counters of each tool, and the limit on their number |
//! | `layer.rs`, `service.rs`, `open_call.rs` | the layer that counts calls |
//! | `sink.rs` | the sink that counts events of the audit trail |
//! | `collector.rs` | values that are read at each scrape: servers, queues, hosts |
//! | `label.rs` | names as label values |

mod collector;
mod label;
mod layer;
#[expect(clippy::module_inception, reason = "the metrics are named for what they are")]
mod metrics;
mod open_call;
mod service;
mod sink;
#[cfg(test)]
mod tests;
mod tools;

pub(crate) use collector::ScrapedParts;
pub(crate) use layer::CountCallsLayer;
pub use metrics::METRICS_CONTENT_TYPE;
pub(crate) use metrics::Metrics;
pub(crate) use sink::CountingSink;
