//! Applies another configuration to a running kernel, by the difference from its current one.

mod difference;
mod program;
mod reconfigure;
mod replace;

pub use reconfigure::ReloadError;

pub(in crate::kernel) use program::ProgramSettings;
pub(in crate::kernel) use reconfigure::AppliedConfiguration;
