//! The peers: servers as data, clients that play hosts, and our own kernel as a process.

mod clients;
mod get;
mod kernel;
mod replicas;
mod scene;
mod servers;
mod service;

pub(crate) use clients::{Answer, Call, HostClient, HostResults, HostUser, Reach, output};
pub(crate) use get::get;
pub(crate) use kernel::{Kernel, Upstream, quoted};
pub(crate) use replicas::Replicas;
pub(crate) use scene::{NOTE, Scene};
pub(crate) use servers::{Instance, Probe, ServerPeer, Stability, Transport, all, server};
pub(crate) use service::{Service, free_port};
