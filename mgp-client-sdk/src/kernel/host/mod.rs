//! The side of the kernel that hosts speak to: one stack a session, the lane, what every host is told, who is asked.

mod approver;
mod face;
mod hosts;

pub use approver::AskHost;
pub use face::HostFace;

pub(super) use hosts::Hosts;
