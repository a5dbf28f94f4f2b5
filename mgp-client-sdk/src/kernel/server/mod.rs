//! One server behind the kernel: how it is reached, its connection, its tools, its life.

mod call;
mod connect;
mod endpoint;
mod inbound;
mod listing;
#[expect(clippy::module_inception, reason = "the handle on a server is named for what it is")]
mod server;
mod spec;
mod supervisor;
mod wait_inside;

pub use endpoint::{Endpoint, InProcess};
pub use server::Server;
pub use spec::ServerSpec;

pub(super) use call::ServerCall;
pub(super) use server::{Command, DispatchStack, Link, ListedTool};
pub(super) use supervisor::supervise;
