//! The packages of the gateways, in their registries.

use std::path::PathBuf;
use tokio::process::Command;
use xtask_install::{NpmFolder, NpmPackage, Venv, cargo, run, workspace};

/// A package with the program of a gateway, in one exact version.
#[derive(Debug)]
pub(super) enum Package {
    /// A program from crates.io: name and version. The features that are left out take no part in a call.
    Cargo(&'static str, &'static str),
    /// A package from PyPI, its version, and further packages that it needs in other versions than pip would choose.
    Pip(&'static str, &'static str, &'static [&'static str]),
    Npm(NpmPackage),
}

impl Package {
    /// Installs the package below the target folder, unless it is installed.
    ///
    /// # Errors
    /// The installer cannot be run or fails.
    pub(super) async fn install(&self) -> Result<(), String> {
        match *self {
            Self::Cargo(name, _) if self.program(name).is_file() => Ok(()),
            Self::Cargo(name, version) => {
                eprintln!("installing {name} {version}");
                let mut command = Command::from(cargo());
                command.args(["install", name, "--version", version, "--locked", "--no-default-features"]);
                command.arg("--root").arg(tools());
                run(command, &format!("cargo install {name}")).await
            }
            Self::Pip(name, version, _) if venv(name).has(name, version) => Ok(()),
            Self::Pip(name, version, others) => {
                eprintln!("installing {name} {version}");
                let exact = format!("{name}=={version}");
                venv(name).install([exact.as_str()].iter().chain(others)).await
            }
            Self::Npm(package) if npm(package).has(package) => Ok(()),
            Self::Npm(package) => {
                eprintln!("installing {} {}", package.name, package.version);
                npm(package).install(&[package]).await
            }
        }
    }

    /// Returns the path of a program of the package, or of a file of an npm package.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        match *self {
            Self::Cargo(..) => tools().join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
            Self::Pip(package, ..) => venv(package).program(name),
            Self::Npm(package) => npm(package).file(package, name),
        }
    }
}

fn tools() -> PathBuf {
    workspace::target().join("tools")
}

fn venv(name: &str) -> Venv {
    Venv::new(tools().join(format!("py-{name}")))
}

fn npm(package: NpmPackage) -> NpmFolder {
    NpmFolder::new(tools().join(format!("npm-{}", package.name)))
}
