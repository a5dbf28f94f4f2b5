//! The ways of installation, distinguished by the files around the program.

use crate::output::on_one_line;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The file with which a package says that the program belongs to it, from the folder above the program's.
const MARKER: &str = "share/mgp/package.toml";
/// The file in which cargo records the programs that it installs, in the same folder.
const CARGO_FILE: &str = ".crates.toml";
/// The file that marks a target folder of cargo.
const TARGET_FILE: &str = "CACHEDIR.TAG";
/// The longest of these files that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// The longest name of a package.
const MAX_NAME: usize = 200;

/// A way of installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InstalledBy {
    Npm,
    Npx,
    Pnpm,
    Bun,
    Pip,
    Uv,
    Uvx,
    Pipx,
    Deb,
    Rpm,
    Archive,
    Homebrew,
    Image,
    Cargo,
    /// A build in a checkout.
    Build,
    Unknown,
}

/// The installation of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Installation {
    pub(crate) installed_by: InstalledBy,
    /// The name of the package, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) package: Option<String>,
    /// The source of a package that cargo built, as cargo writes it.
    #[serde(skip)]
    pub(super) source: Option<String>,
    pub(crate) program: PathBuf,
}

/// The content of the marker.
#[derive(Deserialize)]
struct Marker {
    installed_by: InstalledBy,
    package: String,
}

/// The folders by which programs of one package are told apart: the way that the marker names, folders that follow each other in the
/// program's path, and the real way.
const FOLDERS: &[(InstalledBy, &[&str], InstalledBy)] = &[
    (InstalledBy::Npm, &["_npx"], InstalledBy::Npx),
    (InstalledBy::Npm, &["pnpm", "global"], InstalledBy::Pnpm),
    (InstalledBy::Npm, &[".bun", "install", "global"], InstalledBy::Bun),
    (InstalledBy::Pip, &["uv", "tools"], InstalledBy::Uv),
    (InstalledBy::Pip, &["archive-v0"], InstalledBy::Uvx),
    (InstalledBy::Pip, &["pipx", "venvs"], InstalledBy::Pipx),
    (InstalledBy::Archive, &["Cellar"], InstalledBy::Homebrew),
];

impl Installation {
    /// Returns the installation of this program; `None` if its path is unknown.
    pub(crate) fn of_this_program() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        Some(Self::of(&program.canonicalize().unwrap_or(program)))
    }

    /// Returns the installation of a program. A file that cannot be read counts as missing.
    pub(crate) fn of(program: &Path) -> Self {
        let new = |installed_by, package, source| Self {
            installed_by,
            package,
            source,
            program: program.to_owned(),
        };
        let above = program.parent().and_then(Path::parent);
        if let Some(Marker { installed_by, package }) = above.and_then(|above| marker(&above.join(MARKER))) {
            let real = FOLDERS.iter().find(|(by, folders, _)| *by == installed_by && holds(program, folders));
            return new(real.map_or(installed_by, |(_, _, real)| *real), Some(package), None);
        }
        if let Some((package, source)) = above.and_then(|above| of_cargo(&above.join(CARGO_FILE))) {
            return new(InstalledBy::Cargo, Some(package), Some(source));
        }
        // The folder of a profile, with or without that of a platform above it.
        let is_build = program.ancestors().skip(2).take(2).any(|folder| folder.join(TARGET_FILE).is_file());
        new(if is_build { InstalledBy::Build } else { InstalledBy::Unknown }, None, None)
    }
}

/// Returns whether a path has these folders, one after the other.
fn holds(path: &Path, folders: &[&str]) -> bool {
    let names: Vec<_> = path.iter().collect();
    names.windows(folders.len()).any(|names| names.iter().zip(folders).all(|(name, folder)| *name == *folder))
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    // One byte more shows that the file is too long.
    File::open(path).ok()?.take(MAX_FILE + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= MAX_FILE).then_some(text)
}

fn marker(path: &Path) -> Option<Marker> {
    let marker: Marker = toml::from_str(&read(path)?).ok()?;
    is_name(&marker.package).then_some(marker)
}

/// Returns whether a text can be the name of a package or an image. Such a name needs no quotes in a shell.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"@/._-".contains(&byte);
    (1..=MAX_NAME).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(is_part)
}

/// Returns the name and the source of the package of which cargo installed `mgp`. Its entries are
/// `"NAME VERSION (SOURCE)" = ["PROGRAM"]`.
fn of_cargo(path: &Path) -> Option<(String, String)> {
    let file: toml::Table = toml::from_str(&read(path)?).ok()?;
    let programs = |entry: &toml::Value| {
        let names = entry.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let is_ours =
        |entry: &toml::Value| programs(entry).iter().any(|name| matches!(&**name, "mgp" | "mgp.exe"));
    let (key, _) = file.get("v1")?.as_table()?.iter().find(|(_, entry)| is_ours(entry))?;
    let mut words = key.splitn(3, ' ');
    let (name, _, source) = (words.next()?, words.next()?, words.next()?);
    let source = source.strip_prefix('(')?.strip_suffix(')')?;
    is_name(name).then(|| (name.to_owned(), source.to_owned()))
}

impl fmt::Display for InstalledBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Npm => "npm",
            Self::Npx => "npx",
            Self::Pnpm => "pnpm",
            Self::Bun => "bun",
            Self::Pip => "pip",
            Self::Uv => "uv",
            Self::Uvx => "uvx",
            Self::Pipx => "pipx",
            Self::Deb => "a .deb package",
            Self::Rpm => "an .rpm package",
            Self::Archive => "an archive",
            Self::Homebrew => "Homebrew",
            Self::Image => "an image",
            Self::Cargo => "cargo",
            Self::Build => "a build in a checkout",
            Self::Unknown => "unknown means",
        })
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "installed by {}", self.installed_by)?;
        if let Some(package) = &self.package {
            write!(f, " as {package}")?;
        }
        write!(f, ": {}", on_one_line(&self.program.to_string_lossy()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Returns the installation of a program whose folders have these files.
    fn planted(program: &str, files: &[(&str, &str)]) -> (InstalledBy, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = Installation::of(&folder.path().join(program));
        (found.installed_by, found.package)
    }

    fn marked(above: &str, by: &str) -> InstalledBy {
        let marker = format!("installed_by = \"{by}\"\npackage = \"mgp-rs\"\n");
        let found = planted(&format!("{above}/bin/mgp"), &[(&format!("{above}/{MARKER}"), &marker)]);
        assert_eq!(found.1.as_deref(), Some("mgp-rs"), "{above}");
        found.0
    }

    #[test]
    fn a_marker_and_the_path_name_the_way_of_installation() {
        let npm = "lib/node_modules/mgp-rs/node_modules/@mgp-rs/linux-x64";
        assert_eq!(marked(npm, "npm"), InstalledBy::Npm);
        assert_eq!(marked(".npm/_npx/1a/node_modules/@mgp-rs/linux-x64", "npm"), InstalledBy::Npx);
        assert_eq!(marked("pnpm/global/5/.pnpm/x/node_modules/@mgp-rs/linux-x64", "npm"), InstalledBy::Pnpm);
        assert_eq!(marked(".bun/install/global/node_modules/@mgp-rs/linux-x64", "npm"), InstalledBy::Bun);
        assert_eq!(marked("venv", "pip"), InstalledBy::Pip);
        assert_eq!(marked(".local/share/uv/tools/mgp-rs", "pip"), InstalledBy::Uv);
        assert_eq!(marked(".cache/uv/archive-v0/Qx1", "pip"), InstalledBy::Uvx);
        assert_eq!(marked(".local/share/pipx/venvs/mgp-rs", "pip"), InstalledBy::Pipx);
        assert_eq!(marked("usr", "deb"), InstalledBy::Deb);
        assert_eq!(marked("usr", "rpm"), InstalledBy::Rpm);
        assert_eq!(marked(".local", "archive"), InstalledBy::Archive);
        assert_eq!(marked("opt/homebrew/Cellar/mgp-rs/0.1.0", "archive"), InstalledBy::Homebrew);
        // Only a package that an archive was made for can be one of Homebrew's.
        assert_eq!(marked("Cellar/x", "deb"), InstalledBy::Deb);
        assert_eq!(marked("usr", "image"), InstalledBy::Image);
    }

    #[test]
    fn cargo_s_own_file_names_the_package() {
        let crates = "[v1]\n\"rg 1.0.0 (registry+https://x)\" = [\"rg\"]\n\"mgp 0.1.0 (path+file:///src/mgp)\" = [\"mgp\"]\n";
        let found = planted(".cargo/bin/mgp", &[(".cargo/.crates.toml", crates)]);
        assert_eq!(found, (InstalledBy::Cargo, Some("mgp".to_owned())));
        let other =
            planted(".cargo/bin/mgp", &[(".cargo/.crates.toml", "[v1]\n\"rg 1.0.0 (x)\" = [\"rg\"]\n")]);
        assert_eq!(other, (InstalledBy::Unknown, None));
    }

    #[test]
    fn a_program_in_a_target_folder_is_a_build() {
        let tag = ("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55");
        assert_eq!(planted("target/debug/mgp", &[tag]).0, InstalledBy::Build);
        assert_eq!(planted("target/x86_64-unknown-linux-musl/dist/mgp", &[tag]).0, InstalledBy::Build);
        assert_eq!(planted("target/a/b/c/mgp", &[tag]).0, InstalledBy::Unknown);
    }

    #[test]
    fn files_that_are_not_ours_are_ignored() {
        for text in [
            "",
            "installed_by = \"npm\"",
            "installed_by = \"floppy\"\npackage = \"x\"",
            "installed_by = \"npm\"\npackage = \"x; rm -rf ~\"",
            "installed_by = \"npm\"\npackage = \"--x\"",
            "installed_by = \"npm\"\npackage = \"\"",
            "\u{0}\u{1}",
        ] {
            assert_eq!(
                planted("usr/bin/mgp", &[("usr/share/mgp/package.toml", text)]).0,
                InstalledBy::Unknown
            );
        }
        let long = format!("installed_by = \"npm\"\npackage = \"x\"\n#{}", "x".repeat(MAX_FILE as usize));
        assert_eq!(planted("usr/bin/mgp", &[("usr/share/mgp/package.toml", &long)]).0, InstalledBy::Unknown);
        for key in ["mgp", "mgp 0.1.0", "mgp 0.1.0 x", "-mgp 0.1.0 (x)", " 0.1.0 (x)"] {
            let crates = format!("[v1]\n\"{key}\" = [\"mgp\"]\n");
            assert_eq!(planted("c/bin/mgp", &[("c/.crates.toml", &crates)]).0, InstalledBy::Unknown, "{key}");
        }
        assert_eq!(Installation::of(Path::new("mgp")).installed_by, InstalledBy::Unknown);
    }
}
