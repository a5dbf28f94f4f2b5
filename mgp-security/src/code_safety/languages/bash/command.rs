//! A program and its arguments.

/// A program and its arguments, as a command states them.
#[derive(Debug)]
pub(super) struct Command {
    /// The node of the command.
    pub(super) at: usize,
    /// The program, by its name in the policy.
    pub(super) program: String,
    /// The arguments, with [`OPAQUE`](super::words::OPAQUE) for unknown parts.
    pub(super) arguments: Vec<String>,
}
