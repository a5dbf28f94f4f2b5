//! Installs what is not there yet.

use super::{
    npm,
    packages::{Package, PythonHome, Source},
    pip,
};
use std::{collections::HashMap, process::Stdio, time::Duration};
use tokio::process::Command;

/// How long one installation may take.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// How much of an installer's output stands in an error, in bytes.
const SHOWN: usize = 2000;

/// Which packages are here, and why the others are not.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    missing: HashMap<Package, String>,
}

impl Installed {
    /// All but one package.
    #[cfg(test)]
    pub(crate) fn without(package: Package, why: &str) -> Self {
        Self { missing: HashMap::from([(package, why.to_owned())]) }
    }

    /// Why one of these packages is not here.
    pub(crate) fn why_missing(&self, needed: &[Package]) -> Option<String> {
        let reason = |package| self.missing.get(package).map(|why| (package, why));
        let (package, why) = needed.iter().find_map(reason)?;
        Some(format!("{} {} is not installed: {why}", package.name(), package.version()))
    }
}

/// Installs those packages that are not here in their versions; nothing where `install` is false.
pub(crate) async fn ensure(needed: &[Package], install: bool) -> Installed {
    let (npm, servers, client) = tokio::join!(
        source(Source::Npm, needed, install),
        source(Source::Pip(PythonHome::Servers), needed, install),
        source(Source::Pip(PythonHome::Client), needed, install),
    );
    Installed { missing: [npm, servers, client].into_iter().flatten().collect() }
}

async fn source(source: Source, needed: &[Package], install: bool) -> Vec<(Package, String)> {
    let missing =
        || Package::of(source).filter(|package| needed.contains(package) && !is_installed(*package));
    let first: Vec<_> = missing().map(Package::name).collect();
    if first.is_empty() {
        return Vec::new();
    }
    let result = if install {
        eprintln!("installing {}", first.join(", "));
        match source {
            Source::Npm => npm::install().await,
            Source::Pip(home) => pip::install(home).await,
        }
    } else {
        Err("--no-install was given".to_owned())
    };
    let why = result.err().unwrap_or_else(|| "the installer left it out".to_owned());
    missing().map(|package| (package, why.clone())).collect()
}

fn is_installed(package: Package) -> bool {
    match package.source() {
        Source::Npm => npm::is_installed(package),
        Source::Pip(home) => pip::is_installed(package, home),
    }
}

/// Runs an installer to its end.
pub(super) async fn run(mut command: Command, name: &str) -> Result<(), String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(TIME_LIMIT, command.output())
        .await
        .map_err(|_| format!("{name} took longer than {TIME_LIMIT:?}"))?
        .map_err(|error| format!("failed to run {name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let start = said.len().saturating_sub(SHOWN);
    let end = said.char_indices().find(|(at, _)| *at >= start).map_or("", |(at, _)| &said[at..]);
    Err(format!("{name} ended with {}: {}", output.status, end.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_is_missing_is_named_with_the_reason() {
        let installed = Installed::without(Package::Git, "no network");
        let why = installed.why_missing(&[Package::Time, Package::Git]).unwrap();
        assert_eq!(why, "mcp-server-git 2026.10.19 is not installed: no network");
        assert_eq!(installed.why_missing(&[Package::Time]), None);
    }

    #[tokio::test]
    async fn an_installer_that_fails_says_what_it_said() {
        let mut command = Command::new("cargo");
        command.arg("no-such-subcommand");
        let error = run(command, "cargo").await.unwrap_err();
        assert!(error.starts_with("cargo ended with") && error.contains("no-such-subcommand"), "{error}");
    }
}
