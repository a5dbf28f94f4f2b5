//! The runner that starts a server in a container of podman or docker.
//!
//! The container has a read-only root, no capabilities, no network, and the mounts of the profile. With podman, it may reach hosts through the
//! gateway's proxy, whose listener is made in the container's network before the server runs. Docker offers no such moment.

mod create;
mod engine;
mod line;
mod start;
#[cfg(test)]
mod tests;

pub(super) use engine::usable;
pub use line::{container_mounts, runs_container};
pub(super) use start::prepare;
