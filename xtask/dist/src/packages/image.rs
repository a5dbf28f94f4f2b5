//! The image of a container, by buildah.

use crate::{
    pack::{Content, Entry},
    process,
    release::Release,
    stage::{Stage, marker},
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;

const CONTAINERFILE: &str = include_str!("../../files/Containerfile");
/// The name of the image on this machine.
pub(crate) const NAME: &str = "localhost/mgp";
/// The variables with which buildah runs without the kernel's overlay and without other tools, as root.
pub(crate) const AS_ROOT: [(&str, &str); 2] = [("STORAGE_DRIVER", "vfs"), ("BUILDAH_ISOLATION", "chroot")];

/// Builds the image, which stays in buildah's storage. `MGP_BASE_IMAGE` names another base than that of the Containerfile.
pub(super) async fn make(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let context = folder.join("stage/image");
    let mut entries = vec![stage.bin.clone(), marker("image", &release.image())];
    entries.extend(stage.documents_in("share/doc/mgp/"));
    entries.push(Entry::text("Containerfile", release.fill(CONTAINERFILE)));
    for entry in &entries {
        let path = context.join(&entry.path);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = made.and_then(|()| match &entry.content {
            Content::Text(text) => fs::write(&path, text),
            Content::File(from) => fs::copy(from, &path).map(drop),
        });
        written.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    }
    let mut build = Command::new("buildah");
    build.envs(AS_ROOT).current_dir(&context).args(["build", "--quiet", "--format", "oci", "--tag"]);
    build.arg(format!("{NAME}:{}", release.version)).args(["--file", "Containerfile"]);
    if let Ok(base) = std::env::var("MGP_BASE_IMAGE") {
        build.arg("--build-arg").arg(format!("BASE={base}"));
    }
    build.arg(".");
    process::output(build).await?;
    Ok(Vec::new())
}
