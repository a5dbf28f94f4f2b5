//! §12 Streaming: chunks with dense indices before the response, progress, cancellation. §13 Events of channels, callbacks.
//!
//! - [`cancel`]: the innermost layer of a stack, which obeys the cancel token, and `mgp/stream/cancel` for the lane.
//! - [`sink`]: sends a handler's chunks.
//! - [`progress`]: reports a handler's progress.
//! - [`relay`]: forwards the chunks and progress of a server's call to the host that made the call.
//! - [`order`]: checks that indices are dense.
//! - [`events`]: subscriptions to the events of channels, and their methods.
//! - [`callbacks`]: questions while a call runs, and their answers.
//!
//! ```
//! use mgp_stream::{cancel::CancelLayer, progress::Progress, sink::StreamSink};
//! use mgp_transport::{connection::Connection, memory, seam::{BoxError, Incoming, Reply}};
//! use tower::Layer;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let think = tower::service_fn(|incoming: Incoming| async move {
//!     let mut progress = Progress::of(&incoming);
//!     let mut sink = StreamSink::open(&incoming)?;
//!     for (n, text) in ["partial results ", "before the result"].into_iter().enumerate() {
//!         sink.send_text(text).await?;
//!         progress.report(n as f64 + 1.0, Some(2.0), None).await?;
//!     }
//!     Ok::<_, BoxError>(Reply::ok(sink.finish().to_result()))
//! });
//! let (here, there) = memory::pair();
//! let _server = Connection::builder(CancelLayer::new().layer(think.clone())).over(there.0, there.1);
//! let client = Connection::builder(think).over(here.0, here.1);
//! let result = client.peer().request_raw("tools/call", mgp_types::rpc::RawParams::none()).await?;
//! // A plain MCP caller: nothing before the result, and all of it there.
//! let text = r#"{"content":[{"type":"text","text":"partial results before the result"}]}"#;
//! assert_eq!(result.as_str(), text);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod callbacks;
pub mod cancel;
pub mod events;
mod options;
pub mod order;
pub mod progress;
pub mod relay;
pub mod sink;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
