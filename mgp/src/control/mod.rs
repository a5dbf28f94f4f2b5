//! The control socket of a running kernel: `mgp serve` listens, the operator's commands connect.
//!
//! Each process has a Unix socket in the folder `control` of the state folder. Only the account that owns the state folder can reach it. Each
//! connection is a session of the operator, with the admin role, unless its first line makes it a host's. The session speaks MGP; there is no
//! separate protocol.

#[cfg(unix)]
mod approver;
#[cfg_attr(not(unix), expect(dead_code, reason = "there are no control sockets"))]
mod host;
mod kernels;
#[cfg(unix)]
mod listen;
mod reports;
#[cfg(unix)]
mod sockets;

#[cfg(unix)]
pub(crate) use approver::GatewayApprover;
pub(crate) use host::CommandHost;
pub(crate) use kernels::{RunningKernel, kernels_that_run, running_kernels};
#[cfg(unix)]
pub(crate) use listen::ControlSocket;
pub(crate) use reports::{asked, is_starting, reports, statuses};
