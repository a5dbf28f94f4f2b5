//! §12.7 Cancellation: the innermost layer of a stack, which obeys the cancel token, and `mgp/stream/cancel`.

mod layer;
mod methods;
mod request;
mod service;

pub use layer::CancelLayer;
pub use methods::StreamCancel;
pub use request::cancel_unheard;
pub use service::{Cancel, ResponseFuture};
