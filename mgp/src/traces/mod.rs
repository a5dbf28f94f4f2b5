//! Sends the kernel's spans to a collector of traces, over OTLP. A build without the feature `otlp` rejects a configuration that
//! names a collector.
//!
//! | file | content |
//! |---|---|
//! | `collector.rs` | sends bytes to the collector |
//! | `export.rs` | starts and ends the sending |
//! | `layer.rs` | collects the kernel's spans from `tracing` |
//! | `open_span.rs` | one span, from its start to its end |
//! | `left_out.rs` | the build without the feature |

#[cfg(feature = "otlp")]
mod collector;
#[cfg(feature = "otlp")]
mod export;
#[cfg(feature = "otlp")]
mod layer;
#[cfg(not(feature = "otlp"))]
mod left_out;
#[cfg(feature = "otlp")]
mod open_span;

#[cfg(feature = "otlp")]
pub(crate) use export::TraceExport;
#[cfg(feature = "otlp")]
pub(crate) use layer::layer;
#[cfg(not(feature = "otlp"))]
pub(crate) use left_out::TraceExport;
