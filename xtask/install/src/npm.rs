//! A folder of packages from npm.

use crate::run;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// A package in one exact version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NpmPackage {
    /// The name in npm's registry.
    pub name: &'static str,
    /// The version, in full.
    pub version: &'static str,
}

/// A folder of packages from npm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpmFolder(PathBuf);

impl NpmFolder {
    /// Creates the value for a path. The folder may be missing.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of a file of a package.
    #[must_use]
    pub fn file(&self, package: NpmPackage, file: &str) -> PathBuf {
        self.0.join("node_modules").join(package.name).join(file)
    }

    /// Returns `true` if a package is installed in its version.
    #[must_use]
    pub fn has(&self, package: NpmPackage) -> bool {
        version_in(&self.file(package, "package.json")).as_deref() == Some(package.version)
    }

    /// Installs these packages, and removes everything else from the folder.
    ///
    /// # Errors
    /// The folder cannot be written, or npm cannot be run or fails.
    pub async fn install(&self, packages: &[NpmPackage]) -> Result<(), String> {
        let home = &self.0;
        std::fs::create_dir_all(home)
            .map_err(|error| format!("failed to create {}: {error}", home.display()))?;
        let manifest = home.join("package.json");
        std::fs::write(&manifest, "{\"private\": true}\n")
            .map_err(|error| format!("failed to write {}: {error}", manifest.display()))?;
        let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let mut command = Command::new(program);
        command.current_dir(home).args([
            "install",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--save-exact",
        ]);
        command.args(packages.iter().map(|package| format!("{}@{}", package.name, package.version)));
        run(command, "npm install").await
    }
}

fn version_in(manifest: &Path) -> Option<String> {
    let text = std::fs::read(manifest).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    Some(manifest.get("version")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_package_is_there_only_in_its_own_version() {
        let path = std::env::temp_dir().join(format!("mgp-npm-{}", std::process::id()));
        let folder = NpmFolder::new(path.clone());
        let package = |version| NpmPackage { name: "@scope/name", version };
        assert!(!folder.has(package("1.2.3")));
        let manifest = folder.file(package("1.2.3"), "package.json");
        fs::create_dir_all(manifest.parent().unwrap()).unwrap();
        fs::write(manifest, r#"{"version": "1.2.3"}"#).unwrap();
        let found = ["1.2.3", "1.2.4"].map(|version| folder.has(package(version)));
        fs::remove_dir_all(path).unwrap();
        assert_eq!(found, [true, false]);
    }
}
