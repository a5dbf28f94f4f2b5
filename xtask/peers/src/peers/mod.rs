//! The peers: servers as data, clients that play hosts, and our own kernel as a process.

mod host;
mod inspector;
mod kernel;
mod output;
mod python;
mod scene;
mod servers;
mod service;

pub(crate) use host::{Answer, Call, Reach};
pub(crate) use inspector::Inspector;
pub(crate) use kernel::{Kernel, Upstream};
pub(crate) use python::Python;
pub(crate) use scene::{NOTE, Scene};
pub(crate) use servers::{Instance, Probe, SERVERS, ServerPeer, Steady, server};
pub(crate) use service::Service;
