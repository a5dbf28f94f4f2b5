//! The control socket of a running kernel: `mgp serve` listens, the operator's commands connect.
//!
//! A Unix socket in the folder `control` of the state folder, one for each process. Only the account that owns the state folder can reach
//! it, and each connection is a session of the operator, who has the admin role, unless its first line says that it is a host's. There is no other
//! protocol of its own: the session speaks MGP.

#[cfg(unix)]
mod approver;
#[cfg_attr(not(unix), expect(dead_code, reason = "there are no control sockets"))]
mod host;
mod kernels;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod sockets;

#[cfg(unix)]
pub(crate) use approver::GatewayApprover;
pub(crate) use host::CommandHost;
pub(crate) use kernels::{RunningKernel, kernels_that_run, running_kernels};
#[cfg(unix)]
pub(crate) use listen::ControlSocket;
