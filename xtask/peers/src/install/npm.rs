//! Packages from npm, in a folder of ours.

use super::{
    ensure::run,
    packages::{Package, Source, npm_home},
};
use std::path::Path;
use tokio::process::Command;

/// Whether the package is there in its version.
pub(super) fn is_installed(package: Package) -> bool {
    version_in(&package.npm_file("package.json")).as_deref() == Some(package.version())
}

fn version_in(manifest: &Path) -> Option<String> {
    let text = std::fs::read(manifest).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    Some(manifest.get("version")?.as_str()?.to_owned())
}

/// Installs all packages that come from npm.
pub(super) async fn install() -> Result<(), String> {
    let home = npm_home();
    std::fs::create_dir_all(&home)
        .map_err(|error| format!("failed to create {}: {error}", home.display()))?;
    let manifest = home.join("package.json");
    std::fs::write(&manifest, "{\"private\": true}\n")
        .map_err(|error| format!("failed to write {}: {error}", manifest.display()))?;
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(program);
    command.current_dir(&home).args([
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--save-exact",
    ]);
    command.args(Package::of(Source::Npm).map(|package| format!("{}@{}", package.name(), package.version())));
    run(command, "npm install").await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_is_not_there_has_no_version() {
        assert_eq!(version_in(Path::new("no/such/package.json")), None);
    }
}
