//! §12.4, §12.5 How a handler sends chunks, and what is kept of them.

mod active;
mod call_stream;
mod collected;
mod stream_sink;

pub(crate) use active::{ActiveStreams, Registered};
pub use call_stream::{CallStream, StreamEnd};
pub use stream_sink::{SinkTaken, StreamError, StreamSink, Streamed};
