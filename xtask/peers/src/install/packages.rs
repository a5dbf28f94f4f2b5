//! Every package that is installed, with its version. Who takes a newer peer changes this table.

use crate::workspace;
use std::path::PathBuf;

/// A package of somebody else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Package {
    Everything,
    Filesystem,
    Memory,
    Inspector,
    Time,
    Git,
    PythonSdk,
}

/// A Python environment of its own: their versions of what they depend on differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PythonHome {
    /// Servers on the SDK's second version.
    Servers,
    /// A client on its first.
    Client,
}

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Npm,
    Pip(PythonHome),
}

impl Package {
    pub(crate) const ALL: [Self; 7] = [
        Self::Everything,
        Self::Filesystem,
        Self::Memory,
        Self::Inspector,
        Self::Time,
        Self::Git,
        Self::PythonSdk,
    ];

    /// Source, name and version.
    const fn row(self) -> (Source, &'static str, &'static str) {
        match self {
            Self::Everything => (Source::Npm, "@modelcontextprotocol/server-everything", "2026.8.31"),
            Self::Filesystem => (Source::Npm, "@modelcontextprotocol/server-filesystem", "2026.8.31"),
            Self::Memory => (Source::Npm, "@modelcontextprotocol/server-memory", "2026.8.31"),
            // The last one whose command line runs on Node 20.
            Self::Inspector => (Source::Npm, "@modelcontextprotocol/inspector", "0.15.0"),
            Self::Time => (Source::Pip(PythonHome::Servers), "mcp-server-time", "2026.10.19"),
            Self::Git => (Source::Pip(PythonHome::Servers), "mcp-server-git", "2026.10.19"),
            Self::PythonSdk => (Source::Pip(PythonHome::Client), "mcp", "1.30.0"),
        }
    }

    pub(crate) const fn source(self) -> Source {
        self.row().0
    }

    pub(crate) const fn name(self) -> &'static str {
        self.row().1
    }

    pub(crate) const fn version(self) -> &'static str {
        self.row().2
    }

    /// The packages of one source.
    pub(crate) fn of(source: Source) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |package| package.source() == source)
    }

    /// A file of a package from npm.
    pub(crate) fn npm_file(self, file: &str) -> PathBuf {
        npm_home().join("node_modules").join(self.name()).join(file)
    }
}

pub(super) fn npm_home() -> PathBuf {
    workspace::peers().join("npm")
}

impl PythonHome {
    pub(crate) fn path(self) -> PathBuf {
        workspace::peers().join(match self {
            Self::Servers => "py-servers",
            Self::Client => "py-client",
        })
    }

    /// A program of the environment.
    pub(crate) fn program(self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.path().join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_package_stands_once_and_has_one_exact_version() {
        let names: HashSet<_> = Package::ALL.iter().map(|package| package.name()).collect();
        assert_eq!(names.len(), Package::ALL.len());
        for package in Package::ALL {
            let parts: Vec<_> = package.version().split('.').collect();
            assert!(parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok()), "{package:?}");
        }
    }

    #[test]
    fn every_source_has_packages() {
        let sources = [Source::Npm, Source::Pip(PythonHome::Servers), Source::Pip(PythonHome::Client)];
        assert!(sources.iter().all(|source| Package::of(*source).next().is_some()));
        let all: usize = sources.iter().map(|source| Package::of(*source).count()).sum();
        assert_eq!(all, Package::ALL.len());
    }
}
