//! The installation of each kind of package.

use super::{registry::Registry, steps::Steps, user::User};
use crate::{
    packages::{AS_ROOT, IMAGE, Kind},
    process,
    release::Release,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// An installed program.
#[derive(Debug)]
pub(super) struct Installation {
    /// The command of the program, as its user sees it.
    pub(super) program: String,
    /// The way of installation that the program reports.
    pub(super) by: String,
    /// A part of the command that updates it.
    pub(super) update: &'static str,
}

impl Installation {
    /// Installs the packages of a kind as their user does.
    pub(super) async fn install(
        kind: Kind,
        release: &Release,
        folder: &Path,
        user: &User,
        steps: &mut Steps,
    ) -> Result<Self, String> {
        let (way, update) = match kind {
            Kind::Archive => ("an archive", "tar -xzf mgp-"),
            Kind::Deb => ("a .deb package", "sudo apt install "),
            Kind::Rpm => ("an .rpm package", "sudo dnf install "),
            Kind::Npm => ("npm", "npm install --global "),
            Kind::Pypi => ("pip", " -m pip install --upgrade "),
            Kind::Image | Kind::Formula => return Err(format!("{} is not checked here", kind.name())),
        };
        match kind {
            Kind::Archive => {
                let file = user.given(&package(folder, &format!("mgp-{}", release.version), ".tar.gz")?)?;
                let (file, home) = (file.to_string_lossy(), user.home(".local"));
                let unpack = ["tar", "-xzf", &file, "--strip-components=1", "-C", &home.to_string_lossy()];
                steps.step("install", process::output(user.command(&unpack))).await?;
                exists(user, &user.home(".local/share/man/man1/mgp.1"))?;
            }
            Kind::Deb => {
                let file = user.given(&package(folder, &format!("{}_", release.name), ".deb")?)?;
                let install = ["apt-get", "install", "--yes", &file.to_string_lossy()];
                let command = user.administrator(&install).ok_or("a .deb package needs --root")?;
                steps.step("install", process::output(command)).await?;
                exists(user, Path::new("/usr/share/mgp/apparmor"))?;
            }
            Kind::Rpm => {
                let file = package(folder, &format!("{}-{}", release.name, release.version), ".rpm")?;
                let mut rpm = Command::new("rpm");
                rpm.arg("--root").arg(user.root().ok_or("an .rpm package needs --root")?);
                // The root is not one of rpm's: its C library is there, but not recorded.
                rpm.args(["--install", "--nodeps"]).arg(file);
                steps.step("install", process::output(rpm)).await?;
            }
            Kind::Npm => npm(release, folder, user, steps).await?,
            Kind::Pypi => pypi(release, folder, user, steps).await?,
            Kind::Image | Kind::Formula => {}
        }
        if matches!(kind, Kind::Deb | Kind::Rpm) {
            exists(user, Path::new("/usr/lib/systemd/user/mgp.socket"))?;
            exists(user, Path::new("/usr/share/man/man1/mgp.1"))
                .or_else(|_| exists(user, Path::new("/usr/share/man/man1/mgp.1.gz")))?;
        }
        Ok(Self { program: "mgp".to_owned(), by: format!("{way} as {}", release.name), update })
    }
}

/// Installs the packages of npm, and runs the program by npx before.
async fn npm(release: &Release, folder: &Path, user: &User, steps: &mut Steps) -> Result<(), String> {
    let registry = Registry::start(release, folder).await?;
    let prefix = user.home(".local").to_string_lossy().into_owned();
    let name = release.name.as_str();
    let npx = ["npx", "--yes", "--registry", &registry.url, name, "--version"];
    let version = process::output(user.command(&npx)).await?;
    if !version.contains("installed by npx as ") {
        return Err(format!("npx prints {version:?}, expected \"installed by npx\" in it"));
    }
    let install = ["npm", "install", "--global", "--prefix", &prefix, "--registry", &registry.url, name];
    steps.step("install", process::output(user.command(&install))).await?;
    Ok(())
}

/// Installs the wheel into an environment, and runs the program by uvx before.
async fn pypi(release: &Release, folder: &Path, user: &User, steps: &mut Steps) -> Result<(), String> {
    let wheel = package(folder, &release.module(), ".whl")?;
    let wheel = user.given(&wheel)?;
    let links = wheel.parent().unwrap_or(&wheel).to_string_lossy().into_owned();
    let venv = user.home("venv").to_string_lossy().into_owned();
    process::output(user.command(&["python3", "-m", "venv", &venv])).await?;
    let python = format!("{venv}/bin/python3");
    let pip = [
        &python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        &links,
        &release.name,
    ];
    steps.step("install", process::output(user.command(&pip))).await?;
    for command in [&[&python, "-m", &release.module(), "--version"][..], &[&release.name, "--version"]] {
        let version = process::output(user.command(command)).await?;
        if !version.contains("installed by pip as ") {
            return Err(format!("{command:?} prints {version:?}, expected \"installed by pip\" in it"));
        }
    }
    Ok(())
}

/// Returns the one file of a kind in the folder of packages.
fn package(folder: &Path, start: &str, end: &str) -> Result<PathBuf, String> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("failed to read {}: {error}", folder.display()))?;
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    let found = entries.flatten().map(|entry| entry.path()).find(is_it);
    found.ok_or_else(|| format!("{} has no {start}*{end}", folder.display()))
}

fn exists(user: &User, path: &Path) -> Result<(), String> {
    if user.seen(path).is_file() {
        Ok(())
    } else {
        Err(format!("{} is missing after the installation", path.display()))
    }
}

/// A container of the image.
#[derive(Debug)]
pub(super) struct Container(String);

impl Container {
    pub(super) async fn start(release: &Release, steps: &mut Steps) -> Result<Self, String> {
        let mut command = Command::new("buildah");
        command.envs(AS_ROOT).args(["from", &format!("{IMAGE}:{}", release.version)]);
        let name = steps.step("install", process::output(command)).await?;
        Ok(Self(name.trim().to_owned()))
    }

    /// Returns the words that run a command in the container.
    pub(super) fn words(&self, command: &[&str]) -> Vec<String> {
        let variables = AS_ROOT.map(|(name, value)| format!("{name}={value}"));
        let mut words = vec!["env".to_owned()];
        words.extend(variables);
        words.extend(["buildah", "run", &self.0, "--"].map(str::to_owned));
        words.extend(command.iter().map(|word| (*word).to_owned()));
        words
    }

    pub(super) fn command(&self, command: &[&str]) -> Command {
        let mut words = Command::new("env");
        words.args(self.words(command).into_iter().skip(1));
        words
    }

    pub(super) async fn remove(self) -> Result<(), String> {
        let mut command = Command::new("buildah");
        command.envs(AS_ROOT).args(["rm", &self.0]);
        process::output(command).await.map(drop)
    }
}
