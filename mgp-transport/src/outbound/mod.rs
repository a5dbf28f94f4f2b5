//! Messages to the other side, the trait of the transports that take them, and the reason for the end of a connection.

mod error;
mod outgoing;

pub use error::ConnectionError;
pub(crate) use outgoing::send_cancelled;
pub use outgoing::{Body, Outbound, Outgoing, Route, SendError};
