//! The side of the kernel that faces hosts: the stack of each session, the lane, notifications, and questions to users.

mod approver;
mod batch_text;
mod callbacks;
mod dialect;
mod face;
pub(crate) mod greeting;
mod hosts;
mod instructions;
mod methods;
pub(super) mod parking;
mod session_name;
mod shown;

pub use approver::AskHost;
pub use face::HostFace;
pub use parking::ParkedCalls;

pub(super) use callbacks::answers_callbacks;
pub(super) use dialect::{HostDialect, whole};
pub(super) use hosts::{Hosts, WeakHosts};
pub(super) use instructions::{Instructions, ListedTools};
pub(super) use methods::routes;
pub(super) use session_name::session_name;
pub use shown::{ArgumentsText, arguments_in_full, arguments_on_screen};
