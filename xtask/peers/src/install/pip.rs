//! Packages from PyPI, each environment in a folder of ours.

use super::packages::{Package, PythonHome, Source};

/// Returns `true` if the package is installed in its version.
pub(super) fn is_installed(package: Package, home: PythonHome) -> bool {
    home.venv().has(package.name(), package.version())
}

/// Makes the environment and installs all its packages.
pub(super) async fn install(home: PythonHome) -> Result<(), String> {
    let packages = Package::of(Source::Pip(home));
    home.venv().install(packages.map(|package| format!("{}=={}", package.name(), package.version()))).await
}
