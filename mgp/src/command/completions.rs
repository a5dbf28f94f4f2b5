//! `mgp completions`: prints a completion script for a shell.

use crate::{args::Cli, output, output::Outcome};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell
///
/// For bash: mgp completions bash > ~/.local/share/bash-completion/completions/mgp
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to print the script for
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mgp", &mut script);
    output::print(&String::from_utf8_lossy(&script));
    Outcome::silent()
}
