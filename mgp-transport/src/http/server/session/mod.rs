//! The sessions of a server: each is a connection whose messages are spread over many HTTP requests.

mod http_session;
mod sessions;

pub(super) use http_session::{HttpSession, Transport};
pub(super) use sessions::Sessions;
