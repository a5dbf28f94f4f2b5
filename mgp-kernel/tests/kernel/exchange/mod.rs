//! Calls at servers, and the questions of servers to hosts.

mod callbacks;
#[cfg(feature = "http")]
mod callbacks_http;
mod calls;
mod cancelling;
mod checkpoints;
mod ending;
mod log_levels;
mod proposals;
pub(crate) mod questions;
pub(crate) mod result_secrets;
mod roots;
mod stream_rounds;
mod structured;
mod time_limits;
mod url_required;
