//! The archive: unpacked into a folder such as `~/.local`, each file is where its reader looks.

use super::linux::APPARMOR;
use crate::{
    pack::{Entry, tar_gz},
    release::Release,
    stage::{Stage, marker},
};
use std::path::{Path, PathBuf};

pub(super) fn make(release: &Release, stage: &Stage, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let name = release.archive(release.platform);
    let mut entries = vec![stage.bin.clone(), marker("archive", &release.name)];
    entries.extend(stage.help.iter().cloned());
    if release.platform.is_linux() {
        entries.push(Entry::text("share/mgp/apparmor", APPARMOR));
    }
    entries.extend(stage.documents_in("share/doc/mgp/"));
    let path = folder.join(format!("{name}.tar.gz"));
    tar_gz(&path, &name, &entries)?;
    Ok(vec![path])
}
