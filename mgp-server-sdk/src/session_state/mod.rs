//! Session state: what a server wants to know again at the next call of the same session, as a sealed token that its caller keeps.

mod extractor;
mod slot;

pub use extractor::SessionState;
pub(crate) use slot::SessionStateSlot;
