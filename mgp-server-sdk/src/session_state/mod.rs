//! Session state: data that a server needs at the next call of the same session, as a sealed token that its caller keeps.

mod extractor;
mod slot;

pub use extractor::SessionState;
pub(crate) use slot::SessionStateSlot;
