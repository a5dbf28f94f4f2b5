//! §12.7 The innermost layer of a stack: obeys the cancel token.

mod layer;
mod service;

pub use layer::CancelLayer;
pub use service::{Cancel, ResponseFuture};
