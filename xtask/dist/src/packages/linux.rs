//! The packages of Linux distributions, by cargo-deb and cargo-generate-rpm. Both read a manifest with the list of files, which is
//! generated next to them, so that the workspace has no list of its own.

use crate::{
    pack::{Content, Entry},
    process,
    program::{CLibrary, c_library},
    release::Release,
    stage::{Stage, marker},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

const SERVICE: &str = include_str!("../../files/mgp.service");
const SOCKET: &str = include_str!("../../files/mgp.socket");
pub(super) const APPARMOR: &str = include_str!("../../files/apparmor");
const POSTINST: &str = include_str!("../../files/postinst");
const POSTRM: &str = include_str!("../../files/postrm");
/// The description of the package, without the article that Debian's rules forbid.
const SUMMARY: &str = "gateway between AI hosts and MCP servers";
/// The time of all files, in seconds since 1970.
const TIME: &str = "1767225600";

/// Makes the package for Debian.
pub(super) async fn deb(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let made = Source::write(release, stage, "deb", &folder.join("stage/deb"))?;
    let path = folder.join(format!("{}_{}_{}.deb", release.name, release.version, release.platform.deb));
    let mut command = Command::new("cargo-deb");
    command.args(["deb", "--no-build", "--no-strip", "--quiet", "--manifest-path"]).arg(&made.manifest);
    command.args(["--target", release.platform.target]).arg("--output").arg(&path);
    command.env("SOURCE_DATE_EPOCH", TIME).env("CARGO_TARGET_DIR", made.folder.join("target"));
    process::output(command).await?;
    Ok(vec![path])
}

/// Makes the package for Fedora and its relatives.
pub(super) async fn rpm(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let made = Source::write(release, stage, "rpm", &folder.join("stage/rpm"))?;
    let path = folder.join(format!("{}-{}-1.{}.rpm", release.name, release.version, release.platform.rpm()));
    let mut command = Command::new("cargo-generate-rpm");
    command.current_dir(&made.folder).args([
        "generate-rpm",
        "--auto-req",
        "disabled",
        "--arch",
        release.platform.rpm(),
    ]);
    command.arg("--output").arg(&path).env("SOURCE_DATE_EPOCH", TIME);
    command.arg("--target-dir").arg(made.folder.join("target"));
    process::output(command).await?;
    Ok(vec![path])
}

/// The folder in which a tool finds the files and the manifest.
struct Source {
    folder: PathBuf,
    manifest: PathBuf,
}

impl Source {
    fn write(release: &Release, stage: &Stage, kind: &str, folder: &Path) -> Result<Self, String> {
        let name = &release.name;
        let mut entries = vec![stage.bin.clone(), marker(kind, name)];
        entries.extend(stage.help.iter().cloned());
        // Debian's tools expect the documents in the folder of the package, and one of them with this name.
        let documents = format!("share/doc/{name}/");
        entries.extend(stage.documents_in(&documents));
        entries.extend([
            Entry::text("lib/systemd/user/mgp.service", SERVICE),
            Entry::text("lib/systemd/user/mgp.socket", SOCKET),
            Entry::text("share/mgp/apparmor", APPARMOR),
        ]);
        let files: Vec<_> =
            entries.into_iter().map(|entry| (format!("/usr/{}", entry.path), entry)).collect();
        if kind == "deb" {
            put(folder, &Entry::text("scripts/postinst", POSTINST))?;
            put(folder, &Entry::text("scripts/postrm", POSTRM))?;
        }
        for (_, entry) in &files {
            put(folder, entry)?;
        }
        let program = fs::read(&stage.program)
            .map_err(|error| format!("failed to read {}: {error}", stage.program.display()))?;
        let manifest = manifest(release, kind, &files, c_library(&program)?);
        put(folder, &Entry::text("Cargo.toml", manifest))?;
        put(folder, &Entry::text("src/main.rs", "fn main() {}\n"))?;
        Ok(Self { folder: folder.to_owned(), manifest: folder.join("Cargo.toml") })
    }
}

/// Writes a file into a folder.
fn put(folder: &Path, entry: &Entry) -> Result<(), String> {
    let path = folder.join(&entry.path);
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| match &entry.content {
        Content::Text(text) => fs::write(&path, text),
        Content::File(from) => fs::copy(from, &path).map(drop),
    });
    written.map_err(|error| format!("failed to write {}: {error}", path.display()))
}

/// Returns the manifest that the tool reads.
fn manifest(release: &Release, kind: &str, files: &[(String, Entry)], library: CLibrary) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let mode = |entry: &Entry| if entry.executable { "755" } else { "644" };
    let mut text = format!(
        "[workspace]\n\n[package]\nname = {}\nversion = {}\nedition = \"2024\"\ndescription = {}\nlicense = {}\nrepository = {}\n\n",
        quoted(&release.name),
        quoted(&release.version),
        quoted(SUMMARY),
        quoted(&release.license),
        quoted(&release.repository),
    );
    let maintainer = format!("The {0} project <{0}@users.noreply.github.com>", release.name);
    let description = "The gateway checks every call of AI hosts to tool servers:\naccess, permissions, validators and an audit trail.";
    let of_glibc = |form: fn(u32, u32) -> String| match library {
        CLibrary::Glibc(major, minor) => form(major, minor),
        CLibrary::Musl | CLibrary::None => String::new(),
    };
    if kind == "deb" {
        let depends = of_glibc(|major, minor| format!("libc6 (>= {major}.{minor}), libgcc-s1"));
        text.push_str(&format!(
            "[package.metadata.deb]\nrevision = \"\"\nmaintainer = {}\nextended-description = {}\nsection = \"net\"\ncopyright = \"The MGP for Rust authors\"\ndepends = {}\n\
             conflicts = \"mgp\"\nlicense-file = [\"share/doc/{}/LICENSE-MIT\", \"0\"]\nmaintainer-scripts = \"scripts\"\n\
             assets = [\n",
            quoted(&maintainer),
            quoted(description),
            quoted(&depends),
            release.name,
        ));
        for (to, entry) in files {
            text.push_str(&format!(
                "  [{}, {}, \"{}\"],\n",
                quoted(&entry.path),
                quoted(&to[1..]),
                mode(entry)
            ));
        }
    } else {
        text.push_str(&format!(
            "[package.metadata.generate-rpm]\nsummary = {}\nassets = [\n",
            quoted(SUMMARY)
        ));
        for (to, entry) in files {
            let documents = format!("/usr/share/doc/{}/", release.name);
            let doc = if to.starts_with(&documents) { ", doc = true" } else { "" };
            text.push_str(&format!(
                "  {{ source = {}, dest = {}, mode = \"{}\"{doc} }},\n",
                quoted(&entry.path),
                quoted(to),
                mode(entry)
            ));
        }
    }
    text.push_str("]\n");
    if kind == "rpm" {
        let requires = of_glibc(|major, minor| {
            format!(
                "\"libc.so.6(GLIBC_{major}.{minor})(64bit)\" = \"*\"\n\"libgcc_s.so.1()(64bit)\" = \"*\"\n"
            )
        });
        text.push_str(&format!("\n[package.metadata.generate-rpm.requires]\n{requires}"));
    }
    text
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// The root of a machine's file system, with the scripts of the package.
    struct Root(tempfile::TempDir);

    impl Root {
        fn new() -> Self {
            let root = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(root.path("etc/apparmor.d/abi")).unwrap();
            fs::create_dir_all(root.path("usr/share/mgp")).unwrap();
            fs::write(root.path("etc/apparmor.d/abi/4.0"), "").unwrap();
            root
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        /// Runs a script as dpkg does, with a profile in the package. Returns the profile of the machine.
        fn run(&self, script: &str, step: &str, packaged: &str) -> Option<String> {
            fs::write(self.path("usr/share/mgp/apparmor"), packaged).unwrap();
            let mut command = std::process::Command::new("sh");
            let ended = command.args(["-c", script, "script", step]).env("DPKG_ROOT", self.0.path()).output();
            let ended = ended.unwrap();
            assert!(ended.status.success(), "{step}: {ended:?}");
            let profile = self.profile();
            assert_eq!(!ended.stderr.is_empty(), step == "configure" && profile.as_deref() != Some(packaged));
            profile
        }

        fn profile(&self) -> Option<String> {
            fs::read_to_string(self.path("etc/apparmor.d/mgp")).ok()
        }

        fn edit(&self, text: &str) {
            fs::write(self.path("etc/apparmor.d/mgp"), text).unwrap();
        }
    }

    #[test]
    fn an_update_replaces_a_profile_that_nobody_changed() {
        let root = Root::new();
        assert_eq!(root.run(POSTINST, "configure", "one").as_deref(), Some("one"));
        assert_eq!(root.run(POSTINST, "configure", "two").as_deref(), Some("two"));
        assert_eq!(root.run(POSTRM, "remove", "two"), None);
        assert_eq!(root.run(POSTINST, "configure", "two").as_deref(), Some("two"), "installed again");
        assert_eq!(root.run(POSTRM, "purge", "two"), None);
        assert!(!root.path("var/lib/mgp").exists());
    }

    #[test]
    fn a_profile_that_was_changed_or_removed_stays_so() {
        let root = Root::new();
        root.edit("by hand");
        assert_eq!(root.run(POSTINST, "configure", "one").as_deref(), Some("by hand"));
        root.edit("one");
        assert_eq!(root.run(POSTINST, "configure", "one").as_deref(), Some("one"));
        root.edit("changed");
        assert_eq!(root.run(POSTINST, "configure", "two").as_deref(), Some("changed"));
        assert_eq!(root.run(POSTRM, "upgrade", "two").as_deref(), Some("changed"));
        assert_eq!(root.run(POSTRM, "remove", "two").as_deref(), Some("changed"));
        assert_eq!(root.run(POSTRM, "purge", "two"), None);
        root.run(POSTINST, "configure", "one");
        fs::remove_file(root.path("etc/apparmor.d/mgp")).unwrap();
        assert_eq!(root.run(POSTINST, "configure", "two"), None);
    }

    #[test]
    fn an_older_apparmor_gets_no_profile() {
        let root = Root::new();
        fs::remove_file(root.path("etc/apparmor.d/abi/4.0")).unwrap();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", POSTINST, "script", "configure"]).env("DPKG_ROOT", root.0.path());
        assert!(command.status().unwrap().success() && root.profile().is_none());
    }
}
