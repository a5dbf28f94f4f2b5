//! The start, the reload and the end of a kernel.

mod builder;
mod examples;
pub(crate) mod kernel_health;
mod kernel_status;
pub(crate) mod life;
#[cfg(all(unix, feature = "child"))]
mod reload;
mod server_control;
mod stopping;
mod supervisors;
