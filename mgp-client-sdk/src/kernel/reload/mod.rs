//! A running kernel takes over another configuration, by what differs from the one that it has.

mod difference;
mod program;
mod reconfigure;
mod replace;

pub use reconfigure::ReloadError;

pub(in crate::kernel) use program::ProgramSettings;
pub(in crate::kernel) use reconfigure::AppliedConfiguration;
