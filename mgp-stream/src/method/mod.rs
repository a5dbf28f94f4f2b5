//! §12.7 `mgp/stream/cancel`.

mod service;

pub use service::{StreamCancel, StreamCancelFuture};
