//! Our own programs: built before they are started.

use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::process::Command;
use xtask_install::{cargo, workspace};

/// The time limit for a build. It may have to build everything.
const TIMEOUT: Duration = Duration::from_secs(45 * 60);

/// A program of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// The server under test.
    Fixture,
    /// The client under test.
    Client,
    /// The program `mgp`.
    Kernel,
}

impl Program {
    /// Returns the program's package and its name.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Fixture => ("mgp-conformance-fixture", "conformance-server"),
            Self::Client => ("mgp-conformance-client", "conformance-client"),
            Self::Kernel => ("mgp", "mgp"),
        }
    }

    /// Returns the path of the program once it is built.
    pub(crate) fn path(self) -> PathBuf {
        let (_, name) = self.row();
        workspace::target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Builds programs in the development profile.
pub(crate) async fn build(programs: &[Program]) -> Result<(), String> {
    let mut command = Command::from(cargo());
    command.arg("build").args(arguments(programs));
    command.current_dir(workspace::root()).stdin(Stdio::null()).kill_on_drop(true);
    let built = tokio::time::timeout(TIMEOUT, command.status()).await;
    let status = built.map_err(|_| format!("cargo build took longer than {TIMEOUT:?}"))?;
    match status.map_err(|error| format!("failed to run cargo: {error}"))? {
        status if status.success() => Ok(()),
        _ => Err(format!(
            "failed to build {}",
            programs.iter().map(|program| program.row().1).collect::<Vec<_>>().join(" and ")
        )),
    }
}

fn arguments(programs: &[Program]) -> Vec<String> {
    let mut words = vec!["--quiet".to_owned()];
    for (package, name) in programs.iter().map(|program| program.row()) {
        words.extend([format!("--package={package}"), format!("--bin={name}")]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_built_from_its_package() {
        let words = arguments(&[Program::Fixture, Program::Kernel]).join(" ");
        assert_eq!(
            words,
            "--quiet --package=mgp-conformance-fixture --bin=conformance-server --package=mgp --bin=mgp"
        );
    }
}
