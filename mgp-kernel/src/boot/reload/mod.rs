//! Applies another configuration to a running kernel, by the difference from its current one.

mod difference;
mod program;
mod reconfigure;
mod replace;

pub use reconfigure::ReloadError;

pub(crate) use program::ProgramSettings;
pub(crate) use reconfigure::AppliedConfiguration;
pub(super) use reconfigure::Reload;
