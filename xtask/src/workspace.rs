//! The workspace's folder, and its metadata from cargo.

use std::path::{Path, PathBuf};

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};

/// Returns the folder of the workspace's own `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs this program, so a moved checkout is found too.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).map(Path::to_path_buf);
    root.unwrap_or(here)
}

/// Returns the metadata of the workspace, with every feature of every member enabled.
pub(crate) fn metadata() -> Result<Metadata, String> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).features(CargoOpt::AllFeatures);
    command.exec().map_err(|error| format!("failed to read cargo metadata: {error}"))
}

/// Returns the metadata without the dependencies' own dependencies, which is faster.
pub(crate) fn members() -> Result<Metadata, String> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps();
    command.exec().map_err(|error| format!("failed to read cargo metadata: {error}"))
}

/// Returns the target folder of a second, concurrent build, because cargo locks its folder. It is not for the programs and their tests,
/// but for crates with other features, and for the pages of `cargo doc`.
pub(crate) fn second_target(workspace: &Metadata) -> PathBuf {
    workspace.target_directory.join("features").into_std_path_buf()
}

/// Returns `true` if a package is published.
pub(crate) fn is_published(package: &Package) -> bool {
    package.publish.as_ref().is_none_or(|registries| !registries.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_registries_is_not_published() {
        let package = |publish: &str| {
            let text = format!(
                r#"{{"name": "a", "version": "1.0.0", "id": "a", "dependencies": [], "targets": [], "features": {{}},
                    "manifest_path": "/a/Cargo.toml", "publish": {publish}}}"#
            );
            serde_json::from_str::<Package>(&text).unwrap()
        };
        assert!(is_published(&package("null")));
        assert!(!is_published(&package("[]")));
    }
}
