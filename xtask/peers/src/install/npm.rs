//! Packages from npm, in folders of ours.

use super::packages::{NpmHome, Package, Source};
use xtask_install::NpmPackage;

/// Returns `true` if the package is installed in its version.
pub(super) fn is_installed(package: Package, home: NpmHome) -> bool {
    home.folder().has(package.npm())
}

/// Installs all packages of a folder at once.
pub(super) async fn install(home: NpmHome) -> Result<(), String> {
    let packages: Vec<NpmPackage> = Package::of(Source::Npm(home)).map(Package::npm).collect();
    home.folder().install(&packages).await
}
