//! Reloads the configuration of a running kernel: on SIGHUP, when its file changes, and for `mgp reload`.

mod reloader;
mod watch;

pub(crate) use reloader::Reloader;
pub(crate) use watch::follow;
