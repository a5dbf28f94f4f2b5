//! Runs a setup in the child process, before its program starts.

use crate::seam::SetupInChild;
use std::sync::Arc;
use tokio::process::Command;

/// Makes a command's process run the setup before its program starts.
#[expect(unsafe_code, reason = "no safe function of std runs code between fork and exec")]
pub(super) fn set_up(command: &mut Command, setup: Arc<dyn SetupInChild>) {
    // SAFETY: between fork and exec only async-signal-safe functions may be called; implementors of `SetupInChild` promise this for `apply`.
    unsafe { command.pre_exec(move || setup.apply()) };
}
