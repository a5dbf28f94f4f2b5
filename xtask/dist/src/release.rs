//! The name, the version and the platform of a release.

use crate::platform::Platform;
use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};
use std::{path::PathBuf, process::Command};
use xtask_install::{cargo, workspace};

/// A release on one platform.
#[derive(Debug)]
pub(crate) struct Release {
    /// The name in each registry of packages. It has one place: `package.metadata.dist.name` in mgp/Cargo.toml.
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) repository: String,
    pub(crate) license: String,
    pub(crate) platform: Platform,
    /// The features of the program.
    pub(crate) features: &'static str,
    /// The workspace with all dependencies of the platform.
    pub(crate) metadata: Metadata,
}

impl Release {
    /// Reads the release of the workspace, on a platform or on this one, with features of the program.
    pub(crate) fn read(target: Option<&str>, features: &'static str) -> Result<Self, String> {
        let platform = Platform::of(&target.map_or_else(host, |target| Ok(target.to_owned()))?)?;
        let mut command = MetadataCommand::new();
        command.manifest_path(workspace::root().join("Cargo.toml"));
        let of_program = features.split(',').map(|feature| format!("mgp/{feature}"));
        command.features(CargoOpt::SomeFeatures(of_program.collect()));
        command.other_options(["--filter-platform".to_owned(), platform.target.to_owned()]);
        let metadata = command.exec().map_err(|error| format!("cargo metadata failed: {error}"))?;
        let package = program(&metadata)?;
        let field = |value: &Option<String>, name: &str| {
            value.clone().ok_or_else(|| format!("mgp/Cargo.toml has no `{name}`"))
        };
        let name = package.metadata["dist"]["name"].as_str();
        Ok(Self {
            name: name.ok_or("mgp/Cargo.toml has no `package.metadata.dist.name`")?.to_owned(),
            version: package.version.to_string(),
            description: field(&package.description, "description")?,
            repository: field(&package.repository, "repository")?,
            license: field(&package.license, "license")?,
            platform,
            features,
            metadata,
        })
    }

    /// Returns the folder of the packages.
    pub(crate) fn folder() -> PathBuf {
        workspace::target().join("packages")
    }

    /// Returns the name of the archive, without its extension, on a platform.
    pub(crate) fn archive(&self, platform: Platform) -> String {
        format!("mgp-{}-{}", self.version, platform.target)
    }

    /// Returns the name of the Python module.
    pub(crate) fn module(&self) -> String {
        self.name.replace(['-', '.'], "_")
    }

    /// Returns the name of the image.
    pub(crate) fn image(&self) -> String {
        let path = self.repository.trim_start_matches("https://github.com/");
        format!("ghcr.io/{path}")
    }

    /// Returns a template of the folder `files` with the fields of the release.
    pub(crate) fn fill(&self, template: &str) -> String {
        let fields = [
            ("{name}", &self.name),
            ("{version}", &self.version),
            ("{description}", &self.description),
            ("{repository}", &self.repository),
            ("{license}", &self.license),
            ("{image}", &self.image()),
        ];
        fields.iter().fold(template.to_owned(), |text, (field, value)| text.replace(field, value))
    }
}

/// Returns the package of the program.
pub(crate) fn program(metadata: &Metadata) -> Result<&Package, String> {
    let mut members = metadata.packages.iter();
    members
        .find(|package| package.name.as_str() == "mgp" && package.source.is_none())
        .ok_or_else(|| "the workspace has no package `mgp`".to_owned())
}

/// Returns the platform of this machine.
fn host() -> Result<String, String> {
    let mut command: Command = cargo();
    let output = command.args(["-vV"]).output().map_err(|error| format!("failed to run cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned);
    host.ok_or_else(|| format!("`cargo -vV` did not name the platform: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::FEATURES;

    #[test]
    fn the_release_has_one_name_that_every_registry_takes() {
        let release = Release::read(Some("x86_64-unknown-linux-gnu"), FEATURES).unwrap();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
        assert!(release.name.bytes().all(is_plain), "{}", release.name);
        assert_eq!(release.image(), "ghcr.io/mgp-rs/mgp");
        assert_eq!(release.module(), release.name.replace('-', "_"));
        assert!(
            Release::read(Some("sparc-sun-solaris"), FEATURES)
                .unwrap_err()
                .contains("expected one of x86_64")
        );
    }
}
