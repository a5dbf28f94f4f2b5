//! Installs the missing packages.

use super::{
    npm,
    packages::{Package, Source},
    pip,
};
use futures_util::future::join_all;
use std::collections::HashMap;

/// The installed packages, and the reasons why others are missing.
#[derive(Debug, Default)]
pub(crate) struct InstalledPackages {
    missing: HashMap<Package, String>,
}

impl InstalledPackages {
    /// Returns an installation of all packages but one.
    #[cfg(test)]
    pub(crate) fn without(package: Package, why: &str) -> Self {
        Self { missing: HashMap::from([(package, why.to_owned())]) }
    }

    /// Returns the reason why one of these packages is missing.
    pub(crate) fn why_missing(&self, needed: &[Package]) -> Option<String> {
        let reason = |package| self.missing.get(package).map(|why| (package, why));
        let (package, why) = needed.iter().find_map(reason)?;
        Some(format!("{} {} is not installed: {why}", package.name(), package.version()))
    }
}

/// Installs the packages that are missing in their versions, or only looks for them if `install` is false.
pub(crate) async fn ensure(needed: &[Package], install: bool) -> InstalledPackages {
    let sources = Source::ALL.map(|from| source(from, needed, install));
    InstalledPackages { missing: join_all(sources).await.into_iter().flatten().collect() }
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
            Source::Npm(home) => npm::install(home).await,
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
        Source::Npm(home) => npm::is_installed(package, home),
        Source::Pip(home) => pip::is_installed(package, home),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_is_missing_is_named_with_the_reason() {
        let installed = InstalledPackages::without(Package::Git, "no network");
        let why = installed.why_missing(&[Package::Time, Package::Git]).unwrap();
        assert_eq!(why, "mcp-server-git 2026.10.19 is not installed: no network");
        assert_eq!(installed.why_missing(&[Package::Time]), None);
    }
}
