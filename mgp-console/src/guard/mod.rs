//! Everything between a request and a page: the address, the session of the operator, and the headers that bind a browser.

mod address;
mod gate;
mod headers;
mod secret;
mod session;
mod sign_in;

pub(crate) use address::Address;
pub(crate) use gate::guard;
pub(crate) use headers::{Nonce, secure};
pub(crate) use session::{Session, Sessions};
pub(crate) use sign_in::{report, sign_in, sign_in_page, sign_out};
