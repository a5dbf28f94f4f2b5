//! Copies the events of the local trail into a database, in their order, each exactly once.
//!
//! | file | contents |
//! |---|---|
//! | `round` | copies the events that are there |
//! | `task` | runs rounds until every handle of the trail is dropped |
//! | `handle` | lets callers wait for the database |

mod handle;
mod round;
mod task;

pub use handle::Confirmation;
pub(super) use handle::{Copier, CopierHandle};
pub(super) use round::copy_once;
