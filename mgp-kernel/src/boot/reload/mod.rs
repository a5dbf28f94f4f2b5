//! Applies another configuration to a running kernel, by the difference from its current one.

mod difference;
mod reconfigure;
mod replace;

pub use difference::configuration_change;
pub use reconfigure::ReloadError;

pub(super) use reconfigure::Reload;
