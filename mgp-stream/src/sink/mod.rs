//! §12.4, §12.5 The sink for a handler's chunks, and the content that is kept of them.

mod active;
mod call_stream;
mod collected;
mod hold;
mod stream_sink;

pub(crate) use active::{ActiveStreams, StreamGuard};
pub use call_stream::{CallStream, StreamEnd};
pub use hold::StreamHold;
pub use stream_sink::{SinkTaken, StreamContent, StreamError, StreamSink};
