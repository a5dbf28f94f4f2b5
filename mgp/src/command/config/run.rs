//! The subcommands of `mgp config`.

use super::{check::check, files::FileName, show::show, write::write};
use crate::{error::CliError, input::read_input, options::Options, output::Outcome};
use clap::{Args, Subcommand};
use mgp_discovery::config::MAX_FILE_SIZE;

/// Show, check and replace the files of the configuration
///
/// An editor does the same. These commands are for programs: a file is replaced only if it is as it was read, and only by a text that was
/// checked.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print the configuration and its policy file, with their problems
    ///
    /// A file that is not trusted or cannot be used is printed, too. The notes name its problems.
    Show(ShowArgs),
    /// Check a text as a file of the configuration, and show what it would change
    ///
    /// Nothing is written. Shows the problems of the text with their places, the difference to the file, and what `mgp reload` would change.
    /// Exits with code 3 if there are problems.
    Check(TextArgs),
    /// Replace a file of the configuration by a text, and have running gateways take it over
    ///
    /// The text is checked first. The file keeps its permissions, and a project's file that is trusted stays so.
    Write(WriteArgs),
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Print *** for values that look like keys
    #[arg(long)]
    pub(super) masked: bool,
}

#[derive(Debug, Args)]
pub(super) struct TextArgs {
    /// Read the text from stdin
    #[arg(long)]
    from_stdin: bool,
    /// The file
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(super) file: FileName,
}

#[derive(Debug, Args)]
pub(super) struct WriteArgs {
    #[command(flatten)]
    pub(super) text: TextArgs,
    /// The SHA-256 of the file as it was read; a file that is another by now is not replaced
    #[arg(long, value_name = "SHA256")]
    pub(super) expect: String,
    /// The SHA-256 of the text that was checked; another text is not written
    #[arg(long, value_name = "SHA256")]
    pub(super) checked: Option<String>,
}

impl TextArgs {
    /// Reads the text.
    pub(super) fn read(&self) -> Result<Vec<u8>, CliError> {
        if !self.from_stdin {
            return Err(CliError::usage("there is no text: expected --from-stdin")
                .help("write the text to stdin: `mgp config check --from-stdin < FILE`"));
        }
        read_input(MAX_FILE_SIZE)
            .map_err(|error| CliError::usage(format!("failed to read the text on stdin: {error}")))
    }
}

pub(crate) async fn run(options: &Options, args: ConfigArgs) -> Result<Outcome, CliError> {
    match args.command {
        ConfigCommand::Show(args) => show(options, &args),
        ConfigCommand::Check(args) => check(options, &args),
        ConfigCommand::Write(args) => Box::pin(write(options, &args)).await,
    }
}
