//! Connections whose messages are neither read nor answered: texts go out as they are, and each text of the other side is handed
//! over as it came. For programs that judge a peer, to whom the driver of a [`Connection`](crate::connection::Connection) would hide
//! its faults. Feature `raw`.

#[cfg(feature = "child")]
mod child;
#[cfg(feature = "http-client")]
mod http;
mod raw_connection;
mod stream;

#[cfg(feature = "http-client")]
pub use http::RawHttpConfig;
pub use raw_connection::{RawConnection, RawEvent};
