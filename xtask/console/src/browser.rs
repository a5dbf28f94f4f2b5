//! Chromium, and the packages of npm that drive it.

use std::path::{Path, PathBuf};
use xtask_install::{NpmFolder, NpmPackage, workspace};

const PLAYWRIGHT: NpmPackage = NpmPackage { name: "playwright-core", version: "1.65.1" };
const AXE: NpmPackage = NpmPackage { name: "axe-core", version: "4.14.1" };

/// The names of the program.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Returns the path of Chromium; `None` if it is not installed.
pub(crate) fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Installs the packages, and returns the folder in which Node finds them.
///
/// # Errors
/// npm cannot be run or fails.
pub(crate) async fn packages() -> Result<PathBuf, String> {
    let folder = NpmFolder::new(workspace::target().join("console/npm"));
    if !(folder.has(PLAYWRIGHT) && folder.has(AXE)) {
        folder.install(&[PLAYWRIGHT, AXE]).await?;
    }
    let package = folder.file(PLAYWRIGHT, "package.json");
    let modules = package.parent().and_then(Path::parent).map(Path::to_owned);
    modules.ok_or_else(|| format!("{} has no folder", package.display()))
}
