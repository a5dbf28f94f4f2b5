//! Asking a client in rounds, and the error of asking: the parts that handlers, tasks and the extractor [`Ask`](crate::ask::Ask)
//! share.

mod error;
mod rounds;

pub use error::AskError;
pub(crate) use rounds::{MOST, Rounds, RunOutcome};
