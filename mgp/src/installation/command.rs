//! The commands that update an installation.

use super::place::{Installation, InstalledBy};
use mgp_kernel::command_word;
use std::{
    io,
    path::{Path, PathBuf},
};

/// The page of all releases.
const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

impl Installation {
    /// Returns the page with the files of all releases, if the update begins with a download.
    pub(crate) fn download(&self) -> Option<&'static str> {
        use InstalledBy::{Archive, Build, Deb, Rpm, Unknown};
        matches!(self.installed_by, Archive | Build | Deb | Rpm | Unknown)
            .then_some(if self.installed_by == Build { env!("CARGO_PKG_REPOSITORY") } else { RELEASES })
    }

    /// Returns the command that installs the latest version in the same way; `None` for a program that no package has put there.
    pub(crate) fn update(&self) -> Option<String> {
        let package = self.package.as_deref().unwrap_or("mgp");
        let command = match self.installed_by {
            InstalledBy::Npm => match project(&self.program) {
                None => format!("npm install --global {package}@latest"),
                Some(folder) => format!("npm install --prefix {} {package}@latest", word(folder)),
            },
            InstalledBy::Npx => format!("npx --yes {package}@latest"),
            InstalledBy::Pnpm => format!("pnpm add --global {package}@latest"),
            InstalledBy::Bun => format!("bun add --global {package}@latest"),
            InstalledBy::Pip => format!("{} -m pip install --upgrade {package}", self.python()),
            InstalledBy::Uv => format!("uv tool upgrade {package}"),
            InstalledBy::Uvx => format!("uvx {package}@latest"),
            InstalledBy::Pipx => format!("pipx upgrade {package}"),
            InstalledBy::Deb => format!("sudo apt install ./{package}_*.deb"),
            InstalledBy::Rpm => format!("sudo dnf install ./{package}-*.rpm"),
            InstalledBy::Archive => {
                format!("tar -xzf mgp-*.tar.gz --strip-components=1 -C {}", word(self.above()))
            }
            InstalledBy::Homebrew => format!("brew upgrade {package}"),
            InstalledBy::Image => format!("podman pull {package}:latest"),
            InstalledBy::Cargo => self.of_cargo(package),
            InstalledBy::Build => "git pull && cargo build --release --package mgp".to_owned(),
            InstalledBy::Unknown => return None,
        };
        Some(command)
    }

    /// Returns the path of the program that an update keeps, for hosts' files.
    pub(crate) fn lasting_path(&self) -> PathBuf {
        let cellar = self.program.ancestors().find(|folder| folder.ends_with("Cellar"));
        let link = cellar.and_then(Path::parent).map(|prefix| prefix.join("bin/mgp"));
        let link = link.filter(|link| self.installed_by == InstalledBy::Homebrew && link.exists());
        link.unwrap_or_else(|| self.program.clone())
    }

    /// Returns a remark for a program in a cache, which is removed some day.
    pub(crate) fn cache_remark(&self) -> Option<String> {
        let package = self.package.as_deref()?;
        let install = match self.installed_by {
            InstalledBy::Npx => format!("npm install --global {package}"),
            InstalledBy::Uvx => format!("uv tool install {package}"),
            _ => return None,
        };
        let by = self.installed_by;
        Some(format!(
            "the hosts start a program in the cache of {by}, which may remove it: run `{install}`, then `mgp disconnect` and `mgp connect`"
        ))
    }

    /// Returns the folder above that of the program.
    fn above(&self) -> &Path {
        self.program.parent().and_then(Path::parent).unwrap_or(&self.program)
    }

    /// Returns the Python whose environment holds the program.
    fn python(&self) -> String {
        let sibling = self.program.with_file_name(if cfg!(windows) { "python.exe" } else { "python3" });
        if sibling.is_file() { word(&sibling) } else { "python3".to_owned() }
    }

    fn of_cargo(&self, package: &str) -> String {
        let source = self.source.as_deref().unwrap_or_default();
        let from = match source.split_once('+') {
            // A revision follows the address.
            Some(("git", address)) => {
                let address = address.split(['#', '?']).next().unwrap_or(address);
                format!("--git {} {package}", command_word(address))
            }
            Some(("path", address)) => {
                format!("--path {}", command_word(address.strip_prefix("file://").unwrap_or(address)))
            }
            _ => package.to_owned(),
        };
        let root = self.above();
        let is_default =
            root.ends_with(".cargo") || std::env::var_os("CARGO_HOME").is_some_and(|home| root == home);
        let root = if is_default { String::new() } else { format!(" --root {}", word(root)) };
        format!("cargo install --locked --force{root} {from}")
    }
}

/// Returns the path of this program that an update keeps, for hosts' files.
pub(crate) fn lasting_program() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let lasting = Installation::of_this_program().map(|found| found.lasting_path());
    // Otherwise, the path stays as it was written: a link may be its lasting part.
    Ok(lasting.filter(|path| program.canonicalize().is_ok_and(|real| real != *path)).unwrap_or(program))
}

/// Returns the folder of the project that a package of npm is installed for; `None` for a global one.
fn project(program: &Path) -> Option<&Path> {
    let modules = program.ancestors().filter(|folder| folder.ends_with("node_modules")).last()?;
    let folder = modules.parent()?;
    // On Unix, global packages are in `lib`; on Windows, in a folder of npm's.
    let is_global = folder.ends_with("lib") || folder.ends_with("npm");
    (!is_global).then_some(folder)
}

/// Returns a path as a word of a shell's command.
fn word(path: &Path) -> String {
    command_word(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_way_of_installation_has_its_command() {
        use InstalledBy::{
            Archive, Build, Bun, Cargo, Deb, Homebrew, Image, Npm, Npx, Pip, Pipx, Pnpm, Rpm, Unknown, Uv,
            Uvx,
        };
        let rows = [
            (Npm, "/usr/lib/node_modules/mgp-rs/node_modules/@mgp-rs/linux-x64/bin/mgp", ""),
            (Npm, "/home/a b/node_modules/@mgp-rs/linux-x64/bin/mgp", ""),
            (Npx, "/x/_npx/1/node_modules/@mgp-rs/linux-x64/bin/mgp", ""),
            (Pnpm, "/x/bin/mgp", ""),
            (Bun, "/x/bin/mgp", ""),
            (Pip, "/x/bin/mgp", ""),
            (Uv, "/x/bin/mgp", ""),
            (Uvx, "/x/bin/mgp", ""),
            (Pipx, "/x/bin/mgp", ""),
            (Deb, "/usr/bin/mgp", ""),
            (Rpm, "/usr/bin/mgp", ""),
            (Archive, "/home/a b/bin/mgp", ""),
            (Homebrew, "/x/bin/mgp", ""),
            (Image, "/usr/bin/mgp", ""),
            (Cargo, "/home/a/.cargo/bin/mgp", "registry+https://github.com/rust-lang/crates.io-index"),
            (Cargo, "/opt/a b/bin/mgp", "git+https://example.org/x?branch=main#0123"),
            (Cargo, "/home/a/.cargo/bin/mgp", "path+file:///src/x; y"),
            (Build, "/src/target/debug/mgp", ""),
            (Unknown, "/x/mgp", ""),
        ];
        let lines = rows.map(|(installed_by, program, source)| {
            let found =
                Installation { source: Some(source.to_owned()), ..found(installed_by, program.into()) };
            format!("{installed_by:?}: {}\n", found.update().as_deref().unwrap_or("none"))
        });
        expect![[r#"
            Npm: npm install --global mgp-rs@latest
            Npm: npm install --prefix '/home/a b' mgp-rs@latest
            Npx: npx --yes mgp-rs@latest
            Pnpm: pnpm add --global mgp-rs@latest
            Bun: bun add --global mgp-rs@latest
            Pip: python3 -m pip install --upgrade mgp-rs
            Uv: uv tool upgrade mgp-rs
            Uvx: uvx mgp-rs@latest
            Pipx: pipx upgrade mgp-rs
            Deb: sudo apt install ./mgp-rs_*.deb
            Rpm: sudo dnf install ./mgp-rs-*.rpm
            Archive: tar -xzf mgp-*.tar.gz --strip-components=1 -C '/home/a b'
            Homebrew: brew upgrade mgp-rs
            Image: podman pull mgp-rs:latest
            Cargo: cargo install --locked --force mgp-rs
            Cargo: cargo install --locked --force --root '/opt/a b' --git https://example.org/x mgp-rs
            Cargo: cargo install --locked --force --path '/src/x; y'
            Build: git pull && cargo build --release --package mgp
            Unknown: none
        "#]]
        .assert_eq(&lines.concat());
    }

    fn found(installed_by: InstalledBy, program: PathBuf) -> Installation {
        Installation { installed_by, package: Some("mgp-rs".to_owned()), source: None, program }
    }

    #[test]
    fn hosts_start_the_program_by_a_path_that_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("Cellar/mgp-rs/0.1.0/bin/mgp");
        assert_eq!(found(InstalledBy::Homebrew, program.clone()).lasting_path(), program);
        let link = folder.path().join("bin/mgp");
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(&link, "").unwrap();
        assert_eq!(found(InstalledBy::Homebrew, program.clone()).lasting_path(), link);
        assert_eq!(found(InstalledBy::Archive, program.clone()).lasting_path(), program);
        let remark = found(InstalledBy::Npx, program.clone()).cache_remark().unwrap();
        assert!(
            remark.contains("cache of npx") && remark.contains("npm install --global mgp-rs"),
            "{remark}"
        );
        assert!(
            found(InstalledBy::Uvx, program.clone())
                .cache_remark()
                .unwrap()
                .contains("uv tool install mgp-rs")
        );
        assert_eq!(found(InstalledBy::Npm, program).cache_remark(), None);
    }

    #[test]
    fn a_python_next_to_the_program_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join(if cfg!(windows) { "python.exe" } else { "python3" });
        std::fs::write(&python, "").unwrap();
        let found = found(InstalledBy::Pip, folder.path().join("mgp"));
        assert_eq!(found.update().unwrap(), format!("{} -m pip install --upgrade mgp-rs", word(&python)));
    }
}
