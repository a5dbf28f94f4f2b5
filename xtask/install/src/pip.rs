//! Packages from PyPI, in a separate folder.

use crate::{run, workspace};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// A folder of packages from PyPI. Python finds them by `PYTHONPATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipFolder(PathBuf);

impl PipFolder {
    /// Returns the folder of a tool, below the target folder. The folder may be missing.
    #[must_use]
    pub fn of_tool(name: &str) -> Self {
        Self(workspace::target().join("tools").join(name))
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Installs these packages, each `name==version`, without their dependencies, unless they are already installed.
    ///
    /// # Errors
    /// The folder cannot be made, or pip cannot be run or fails.
    pub async fn ensure(&self, packages: &[&str]) -> Result<(), String> {
        if packages.iter().all(|package| self.has(package)) {
            return Ok(());
        }
        fs::create_dir_all(&self.0)
            .map_err(|error| format!("failed to make {}: {error}", self.0.display()))?;
        eprintln!("installing {}", packages.join(", "));
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut pip = Command::new(python);
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--upgrade",
        ]);
        pip.arg("--target").arg(&self.0).args(packages);
        run(pip, "pip install").await
    }

    /// Returns `true` if a package is installed: pip leaves a folder `name-version.dist-info` for each.
    fn has(&self, package: &str) -> bool {
        let wanted = format!("{}.dist-info", package.replacen("==", "-", 1)).to_lowercase();
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().to_lowercase() == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_there_only_in_its_own_version() {
        let path = std::env::temp_dir().join(format!("mgp-pip-{}", std::process::id()));
        fs::create_dir_all(path.join("pystemmer-3.0.0.dist-info")).unwrap();
        let folder = PipFolder(path.clone());
        let found = ["PyStemmer==3.0.0", "PyStemmer==3.0.1"].map(|package| folder.has(package));
        fs::remove_dir_all(path).unwrap();
        assert_eq!(found, [true, false]);
    }
}
