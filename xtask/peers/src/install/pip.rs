//! Packages from PyPI, each environment in a folder of ours.

use super::packages::{Package, PythonHome, Source};
use std::{fs, path::Path};
use tokio::process::Command;
use xtask_install::run;

/// Returns `true` if the package is installed in its version.
pub(super) fn is_installed(package: Package, home: PythonHome) -> bool {
    is_in(&home.path(), package.name(), package.version())
}

/// Returns `true` if a folder has a package: pip leaves a folder `name-version.dist-info` for each.
fn is_in(home: &Path, name: &str, version: &str) -> bool {
    let wanted = format!("{}-{version}.dist-info", name.replace('-', "_"));
    let libraries = fs::read_dir(home.join("lib")).into_iter().flatten().flatten();
    let mut sites = libraries.map(|library| library.path().join("site-packages"));
    sites.any(|site| site.join(&wanted).is_dir()) || home.join("Lib/site-packages").join(&wanted).is_dir()
}

/// Makes the environment and installs all its packages.
pub(super) async fn install(home: PythonHome) -> Result<(), String> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).arg(home.path());
    run(make, "python3 -m venv").await?;
    let mut install = Command::new(home.program("python"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(
        Package::of(Source::Pip(home)).map(|package| format!("{}=={}", package.name(), package.version())),
    );
    run(install, "pip install").await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_found_by_its_name_and_version() {
        let home = std::env::temp_dir().join(format!("mgp-venv-{}", std::process::id()));
        fs::create_dir_all(home.join("lib/python3.11/site-packages/mcp_server_time-1.2.3.dist-info"))
            .unwrap();
        let found = ["1.2.3", "1.2.4"].map(|version| is_in(&home, "mcp-server-time", version));
        fs::remove_dir_all(&home).unwrap();
        assert_eq!(found, [true, false]);
    }
}
