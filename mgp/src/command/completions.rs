//! `mgp completions`: prints a completion script for a shell.

use crate::{output, output::Outcome};
use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
///
/// For bash: mgp completions bash > ~/.local/share/bash-completion/completions/mgp
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to print the script for
    shell: Shell,
}

/// Prints the completion script of the command line.
pub(crate) fn run(args: &CompletionsArgs, command_line: &mut clap::Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command_line, "mgp", &mut script);
    output::print(&String::from_utf8_lossy(&script));
    Outcome::silent()
}
