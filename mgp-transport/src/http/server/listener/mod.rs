//! The listener, which accepts TCP connections and serves HTTP on each.

mod accept;
mod bounded_stream;
mod length_watch;
mod polled_again;

#[cfg(test)]
pub(super) use accept::serve;
pub(super) use accept::{ServedRouter, accept};
