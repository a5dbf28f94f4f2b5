//! `mgp config show`.

use super::{
    files::{ConfigurationFiles, FileName, NamedFile},
    problems::check_text,
    run::ShowArgs,
};
use crate::{
    command::connect::HostFile,
    error::{CliError, PlacedProblem},
    masking::{masked_message, masked_text},
    options::Options,
    output::Outcome,
};
use mgp_discovery::trust::{FileHash, hash};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The JSON form of the answer.
#[derive(Debug, Serialize)]
struct ShowReport {
    files: Vec<ShownFile>,
}

#[derive(Debug, Serialize)]
struct ShownFile {
    name: FileName,
    path: PathBuf,
    text: String,
    /// The hash of the whole file, also if keys in its text are masked.
    sha256: FileHash,
    /// False if this account may not replace the file.
    writable: bool,
    problems: Vec<PlacedProblem>,
}

pub(super) fn show(options: &Options, args: &ShowArgs) -> Result<Outcome, CliError> {
    let found = ConfigurationFiles::find(options)?;
    let files: Vec<_> = found.files.iter().map(|file| shown(&found, file, args.masked)).collect();
    let texts = files.iter().map(|file| match files.len() {
        1 => file.text.clone(),
        _ => format!("# {}\n{}", file.path.display(), file.text),
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let notes = files
        .iter()
        .flat_map(|file| file.problems.iter().map(|problem| format!("{}:{problem}", file.path.display())));
    let notes: Vec<_> = notes.collect();
    Ok(Outcome::of_data(text, &ShowReport { files })?.with_notes(notes))
}

fn shown(found: &ConfigurationFiles, file: &NamedFile, is_masked: bool) -> ShownFile {
    let bytes = file.bytes();
    let text = String::from_utf8_lossy(bytes);
    let mut problems = file.own_problems();
    if file.content.is_ok() {
        problems.extend(match file.name {
            FileName::Configuration if found.loaded.is_none() => found.problems.clone(),
            name => check_text(found, name, bytes).problems,
        });
    }
    if is_masked {
        for problem in &mut problems {
            problem.message = masked_message(&problem.message, &text);
            problem.help = problem.help.take().map(|help| masked_message(&help, &text));
        }
    }
    ShownFile {
        name: file.name,
        path: file.file.path.clone(),
        text: if is_masked { masked_text(&text) } else { text.into_owned() },
        sha256: hash(bytes),
        writable: file.content.is_ok() && is_writable(&file.file.path),
        problems,
    }
}

/// Returns whether this account can replace a file, which is done by a new file in the same folder.
fn is_writable(path: &Path) -> bool {
    if HostFile::read(path).is_err() {
        return false;
    }
    #[cfg(unix)]
    {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = real.parent().unwrap_or(Path::new("/"));
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
    }
    #[cfg(not(unix))]
    true
}
