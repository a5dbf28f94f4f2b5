//! `mgp update`: prints the command that updates the program.

use crate::{error::CliError, installation::Installation, output::Outcome};
use clap::Args;
use serde::Serialize;

/// Print the command that updates this program
///
/// The command depends on how the program was installed, which `mgp --version` reports. Nothing is downloaded or changed.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {}

/// The JSON form of the answer.
#[derive(Serialize)]
struct UpdateReport {
    version: &'static str,
    #[serde(flatten)]
    installation: Installation,
    /// The page to download the latest version from, before the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    download: Option<&'static str>,
    command: Option<String>,
}

pub(crate) fn run() -> Result<Outcome, CliError> {
    let installation = Installation::of_this_program()
        .ok_or_else(|| CliError::failed("the path of this program is unknown"))?;
    let (download, command) = (installation.download(), installation.update());
    let mut lines = Vec::new();
    if let Some(page) = download {
        lines.push(format!("# the latest version: {page}"));
    }
    lines.extend(command.clone());
    let note = format!("mgp {}, {installation}", env!("CARGO_PKG_VERSION"));
    let report = UpdateReport { version: env!("CARGO_PKG_VERSION"), installation, download, command };
    Ok(Outcome::new(lines.join("\n"), &report)?.with_notes([note]))
}
