//! The files that packages are made of, in the folders where an installation has them.

use crate::{notices::Notices, pack::Entry, process, program, release::Release};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::workspace;

/// The files of a release.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) program: PathBuf,
    /// The program, in `bin`.
    pub(crate) bin: Entry,
    /// The manual pages and completions, in `share`.
    pub(crate) help: Vec<Entry>,
    /// The page about the program, the licences and the list of dependencies, by name.
    pub(crate) documents: Vec<Entry>,
}

/// The name of the list of dependencies.
pub(crate) const SBOM: &str = "mgp.cdx.json";

impl Stage {
    /// Collects the files. `folder` is emptied, and gets those that are made.
    pub(crate) async fn make(release: &Release, built: &Path, folder: &Path) -> Result<Self, String> {
        let failed = |error| format!("failed to write {}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
        let program = folder.join(release.platform.program());
        program::copy(built, &program).await?;
        let version = process::output(call(&program, &["--version"])).await?;
        let first = version.lines().next().unwrap_or_default();
        if first != format!("mgp {}", release.version) {
            let expected = &release.version;
            return Err(format!("{} is not mgp {expected}: `--version` prints {first:?}", built.display()));
        }
        let bin = format!("bin/{}", release.platform.program());
        let (help, documents) = (help(&program, &folder.join("man")).await?, documents(release)?);
        Ok(Self { bin: Entry::file(bin, program.clone(), true), program, help, documents })
    }

    /// Returns the documents in a folder.
    pub(crate) fn documents_in(&self, folder: &str) -> Vec<Entry> {
        let moved = |entry: &Entry| Entry { path: format!("{folder}{}", entry.path), ..entry.clone() };
        self.documents.iter().map(moved).collect()
    }
}

/// Returns the file by which the program knows its package.
pub(crate) fn marker(by: &str, package: &str) -> Entry {
    let text = format!("installed_by = \"{by}\"\npackage = \"{package}\"\n");
    Entry::text("share/mgp/package.toml", text)
}

fn call(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

async fn help(program: &Path, folder: &Path) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    process::output(call(program, &["man", &folder.to_string_lossy()])).await?;
    let pages =
        fs::read_dir(folder).map_err(|error| format!("failed to read {}: {error}", folder.display()))?;
    for page in pages.flatten() {
        let name = page.file_name().to_string_lossy().into_owned();
        entries.push(Entry::file(format!("share/man/man1/{name}"), page.path(), false));
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    for (shell, path) in [
        ("bash", "bash-completion/completions/mgp"),
        ("fish", "fish/vendor_completions.d/mgp.fish"),
        ("zsh", "zsh/site-functions/_mgp"),
    ] {
        let script = process::output(call(program, &["completions", shell])).await?;
        entries.push(Entry::text(format!("share/{path}"), script));
    }
    Ok(entries)
}

fn documents(release: &Release) -> Result<Vec<Entry>, String> {
    let notices = Notices::read(release)?;
    let root = workspace::root();
    let of_root = |name: &str| Entry::file(name, root.join(name), false);
    Ok(vec![
        of_root("LICENSE-APACHE"),
        of_root("LICENSE-MIT"),
        of_root("CHANGELOG.md"),
        Entry::file("README.md", root.join("mgp/README.md"), false),
        Entry::text("THIRD-PARTY-LICENSES.txt", notices.licences()?),
        Entry::text(SBOM, notices.sbom()?),
    ])
}
