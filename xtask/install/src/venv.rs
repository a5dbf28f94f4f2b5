//! Packages from PyPI with all their dependencies, in a separate environment.

use crate::run;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// A Python environment. Programs for different versions of one library each need their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Venv(PathBuf);

impl Venv {
    /// Creates the value for a path. The environment may be missing.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of a program of the environment.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        if cfg!(windows) {
            self.0.join("Scripts").join(format!("{name}.exe"))
        } else {
            self.0.join("bin").join(name)
        }
    }

    /// Returns `true` if a package is installed in this version: pip leaves a folder `name-version.dist-info` for each.
    #[must_use]
    pub fn has(&self, name: &str, version: &str) -> bool {
        let wanted = format!("{}-{version}.dist-info", name.replace('-', "_"));
        let libraries = fs::read_dir(self.0.join("lib")).into_iter().flatten().flatten();
        let mut sites = libraries.map(|library| library.path().join("site-packages"));
        sites.any(|site| site.join(&wanted).is_dir())
            || self.0.join("Lib/site-packages").join(&wanted).is_dir()
    }

    /// Makes the environment and installs these packages, each as pip names it: `name==version`.
    ///
    /// # Errors
    /// Python or pip cannot be run or fails.
    pub async fn install<P: AsRef<str>>(&self, packages: impl IntoIterator<Item = P>) -> Result<(), String> {
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut make = Command::new(python);
        make.args(["-m", "venv"]).arg::<&Path>(&self.0);
        run(make, "python3 -m venv").await?;
        let mut install = Command::new(self.program("python"));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        for package in packages {
            install.arg(package.as_ref());
        }
        run(install, "pip install").await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_found_by_its_name_and_version() {
        let home = std::env::temp_dir().join(format!("mgp-venv-{}", std::process::id()));
        fs::create_dir_all(home.join("lib/python3.11/site-packages/mcp_server_time-1.2.3.dist-info"))
            .unwrap();
        let venv = Venv::new(home.clone());
        let found = ["1.2.3", "1.2.4"].map(|version| venv.has("mcp-server-time", version));
        fs::remove_dir_all(&home).unwrap();
        assert_eq!(found, [true, false]);
    }
}
