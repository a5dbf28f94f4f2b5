//! The side of the kernel that hosts speak to: one stack a session, the lane, what every host is told, who is asked.

mod approver;
mod face;
mod hosts;
pub(super) mod parking;
mod shown;

pub use approver::AskHost;
pub use face::HostFace;
pub use parking::ParkedCalls;

pub(super) use face::is_local;
pub(super) use hosts::Hosts;
#[cfg(feature = "cli")]
pub(crate) use shown::{on_a_screen, whole};
