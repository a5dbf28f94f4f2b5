//! Connections that do not interpret messages: texts are sent as they are, and each text of the other side is passed on as
//! received. For programs that test a peer, whose faults the driver of a [`Connection`](crate::connection::Connection) would
//! hide. Feature `raw`.

#[cfg(feature = "child")]
mod child;
#[cfg(feature = "http-client")]
mod http;
mod raw_connection;
mod stream;

#[cfg(feature = "http-client")]
pub use http::RawHttpConfig;
pub use raw_connection::{RawConnection, RawEvent};
