//! `mgp config write`.

use super::{
    files::{ConfigurationFiles, FileName, NamedFile},
    problems::check_text,
    run::WriteArgs,
};
use crate::{
    command::{
        connect::HostFile,
        reload::{KernelReload, RefusedReload, reload_running},
    },
    error::CliError,
    exit::Exit,
    options::Options,
    output::Outcome,
    setup::{Setup, trust_folder, trust_problem},
};
use mgp_discovery::{
    locate::Origin,
    trust::{FileHash, TrustStore, hash},
};
use serde::Serialize;
use std::path::PathBuf;

/// The JSON form of the answer.
#[derive(Debug, Serialize)]
struct WriteReport {
    name: FileName,
    path: PathBuf,
    /// The hash of the file after the change.
    sha256: FileHash,
    /// The gateways that have taken it over.
    kernels: Vec<KernelReload>,
    /// The gateways that keep their configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedReload>,
}

pub(super) async fn write(options: &Options, args: &WriteArgs) -> Result<Outcome, CliError> {
    let text = args.text.read()?;
    let found = ConfigurationFiles::find(options)?;
    let file = found.file(args.text.file)?;
    let path = &file.file.path;
    let on_disk = HostFile::read(path)?;
    expect_hash(file, on_disk.bytes(), &args.expect)?;
    if let Some(checked) = args.checked.as_ref().filter(|checked| *checked != hash(&text).as_str()) {
        let problem =
            format!("--checked: the text has the SHA-256 {}, and {checked:?} was checked", hash(&text));
        return Err(CliError::usage(problem)
            .help("nothing was written: check the text again with `mgp config check`"));
    }
    let problems = check_text(&found, args.text.file, &text).problems;
    if !problems.is_empty() {
        let problem = format!("the text cannot be the {} {}", file.name.as_str(), path.display());
        return Err(CliError::new(Exit::Configuration, problem)
            .with_problems(problems)
            .help("nothing was written: correct the text"));
    }
    let is_trusted = file.file.origin == Origin::Project
        && trust_problem(&found.environment, &file.file, on_disk.bytes()).is_none();
    if !on_disk.replace(Some(&text))? {
        return Err(changed(file));
    }
    if is_trusted {
        let store = TrustStore::in_folder(&trust_folder(&found.environment)?);
        store.trust(path, &text).map_err(|error| {
            CliError::from(error).help("the file is written, and is not trusted: run `mgp trust`")
        })?;
    }
    let setup = Setup::load_for_state(options).await?;
    let (kernels, refused) = reload_running(&setup).await;
    let written = format!("{} is replaced", path.display());
    let told = kernels.iter().map(ToString::to_string).chain(refused.iter().map(ToString::to_string));
    let text_of = std::iter::once(written).chain(told).collect::<Vec<_>>().join("\n");
    let exit = if refused.is_empty() { Exit::Success } else { Exit::Failed };
    let report = WriteReport { name: file.name, path: path.clone(), sha256: hash(&text), kernels, refused };
    Ok(Outcome::new(text_of, &report)?.with_exit(exit))
}

/// Refuses a file that somebody has changed since it was read.
fn expect_hash(file: &NamedFile, bytes: &[u8], expected: &str) -> Result<(), CliError> {
    if hash(bytes).as_str() == expected {
        return Ok(());
    }
    let is_hash = expected.len() == 64 && expected.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash {
        let problem =
            format!("--expect is {expected:?}: expected the SHA-256 of the file, 64 hexadecimal digits");
        return Err(CliError::usage(problem).help("`mgp config show --json` prints it"));
    }
    Err(changed(file))
}

fn changed(file: &NamedFile) -> CliError {
    let problem = format!("{} has changed since it was read", file.file.path.display());
    CliError::new(Exit::Configuration, problem)
        .help("nothing was written: read the file again with `mgp config show`, and make the change there")
}
