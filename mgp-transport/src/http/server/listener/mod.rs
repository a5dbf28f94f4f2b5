//! The listener, which accepts TCP connections and serves HTTP on each.

mod accept;
mod bounded_stream;
mod length_watch;

pub(super) use accept::accept;
#[cfg(test)]
pub(super) use accept::serve;
