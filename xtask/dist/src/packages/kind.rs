//! The kinds of packages.

use super::{archive, formula, image, linux, npm, pypi};
use crate::{process, release::Release, stage::Stage};
use std::path::{Path, PathBuf};

/// A kind of package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Archive,
    Deb,
    Rpm,
    Npm,
    Pypi,
    Image,
    Formula,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] =
        [Self::Archive, Self::Deb, Self::Rpm, Self::Npm, Self::Pypi, Self::Image, Self::Formula];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Deb => "deb",
            Self::Rpm => "rpm",
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Image => "image",
            Self::Formula => "formula",
        }
    }

    /// Returns the tool that is missing to make the package here, and the way to get it.
    pub(crate) async fn missing_tool(self, release: &Release) -> Option<String> {
        let is_linux = release.platform.is_linux();
        let (tool, argument, install) = match self {
            Self::Deb | Self::Rpm | Self::Image if !is_linux => {
                return Some(format!(
                    "Linux: {} packages are not made for {}",
                    self.name(),
                    release.platform.target
                ));
            }
            Self::Deb => ("cargo-deb", "--version", "cargo install cargo-deb --locked"),
            Self::Rpm => ("cargo-generate-rpm", "--version", "cargo install cargo-generate-rpm --locked"),
            Self::Image => ("buildah", "--version", "apt-get install buildah"),
            Self::Archive | Self::Npm | Self::Pypi | Self::Formula => return None,
        };
        (!process::runs(tool, argument).await).then(|| format!("{tool} ({install})"))
    }

    /// Makes the packages of this kind. Returns the files, or none if the package is kept elsewhere.
    pub(crate) async fn make(
        self,
        release: &Release,
        stage: &Stage,
        folder: &Path,
    ) -> Result<Vec<PathBuf>, String> {
        match self {
            Self::Archive => archive::make(release, stage, folder),
            Self::Deb => linux::deb(release, stage, folder).await,
            Self::Rpm => linux::rpm(release, stage, folder).await,
            Self::Npm => npm::make(release, stage, folder),
            Self::Pypi => pypi::make(release, stage, folder),
            Self::Image => image::make(release, stage, folder).await,
            Self::Formula => formula::make(release, folder).map(|path| vec![path]),
        }
    }
}
