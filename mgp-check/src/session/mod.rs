//! One session with the server, in raw messages.

mod envelope;
mod exchange;
mod fault;
mod handshake;
mod kept;
mod message;
#[expect(clippy::module_inception, reason = "it is what the folder is named for")]
mod session;

pub(crate) use envelope::Envelope;
pub(crate) use exchange::{Answer, Exchange, WireError};
pub(crate) use fault::{Fault, FaultKind};
pub(crate) use handshake::{Greeting, QUIET, all_extensions, greet, initialize};
pub(crate) use kept::weight;
pub(crate) use session::Session;
