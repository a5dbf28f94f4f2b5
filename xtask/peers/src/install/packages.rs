//! Every package to install, with its version. An update of a peer changes this table.

use crate::workspace;
use std::path::PathBuf;
use xtask_install::{
    NpmFolder, NpmPackage, Venv,
    hosts::{self, HAS_NODE},
};

/// A package of another project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Package {
    Everything,
    Filesystem,
    Memory,
    SequentialThinking,
    Playwright,
    Notion,
    ChromeDevtools,
    Mongodb,
    Context7,
    S3rver,
    AppBasic,
    AppMonitor,
    Inspector1,
    Inspector2,
    TypescriptSdk,
    Node22,
    Time,
    Git,
    Fetch,
    FastMcp,
    PythonSdk2,
    TimeOnSdk1,
    GitOnSdk1,
    FetchOnSdk1,
    Sqlite,
    PythonSdk1,
    OpenapiTypescript,
    OpenapiFetch,
    Typescript,
    OpenapiValidator,
}

/// A separate Python environment: programs for one version of the official SDK do not run on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PythonHome {
    /// The environment of the SDK's first version.
    Sdk1,
    /// The environment of the SDK's second version.
    Sdk2,
    /// The environment of programs that read documents of OpenAPI.
    Openapi,
}

/// A folder of packages from npm, with one version of each package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NpmHome {
    /// Packages that run on Node 20.
    Node20,
    /// Packages that need Node 22, and Node 22 itself.
    Node22,
    /// Programs that generate clients from documents of OpenAPI.
    Openapi,
}

/// The source of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Npm(NpmHome),
    Pip(PythonHome),
}

impl Source {
    pub(crate) const ALL: [Self; 6] = [
        Self::Npm(NpmHome::Node20),
        Self::Npm(NpmHome::Node22),
        Self::Npm(NpmHome::Openapi),
        Self::Pip(PythonHome::Sdk1),
        Self::Pip(PythonHome::Sdk2),
        Self::Pip(PythonHome::Openapi),
    ];
}

impl Package {
    pub(crate) const ALL: [Self; 30] = [
        Self::Everything,
        Self::Filesystem,
        Self::Memory,
        Self::SequentialThinking,
        Self::Playwright,
        Self::Notion,
        Self::ChromeDevtools,
        Self::Mongodb,
        Self::Context7,
        Self::S3rver,
        Self::AppBasic,
        Self::AppMonitor,
        Self::Inspector1,
        Self::Inspector2,
        Self::TypescriptSdk,
        Self::Node22,
        Self::Time,
        Self::Git,
        Self::Fetch,
        Self::FastMcp,
        Self::PythonSdk2,
        Self::TimeOnSdk1,
        Self::GitOnSdk1,
        Self::FetchOnSdk1,
        Self::Sqlite,
        Self::PythonSdk1,
        Self::OpenapiTypescript,
        Self::OpenapiFetch,
        Self::Typescript,
        Self::OpenapiValidator,
    ];

    /// Returns the source, the name and the version.
    const fn row(self) -> (Source, &'static str, &'static str) {
        const NODE_20: Source = Source::Npm(NpmHome::Node20);
        const NODE_22: Source = Source::Npm(NpmHome::Node22);
        const SDK_1: Source = Source::Pip(PythonHome::Sdk1);
        const SDK_2: Source = Source::Pip(PythonHome::Sdk2);
        const OPENAPI: Source = Source::Npm(NpmHome::Openapi);
        match self {
            Self::Everything => (NODE_20, "@modelcontextprotocol/server-everything", "2026.8.31"),
            Self::Filesystem => (NODE_20, "@modelcontextprotocol/server-filesystem", "2026.8.31"),
            Self::Memory => (NODE_20, "@modelcontextprotocol/server-memory", "2026.8.31"),
            Self::SequentialThinking => {
                (NODE_20, "@modelcontextprotocol/server-sequential-thinking", "2026.8.31")
            }
            Self::Playwright => (NODE_20, "@playwright/mcp", "0.0.83"),
            Self::Notion => (NODE_20, "@notionhq/notion-mcp-server", "2.5.2"),
            Self::ChromeDevtools => (NODE_20, "chrome-devtools-mcp", "1.11.0"),
            Self::Mongodb => (NODE_20, "mongodb-mcp-server", "3.0.4"),
            Self::Context7 => (NODE_20, "@upstash/context7-mcp", "4.1.1"),
            Self::S3rver => (NODE_20, "s3rver", "3.7.1"),
            Self::AppBasic => (NODE_20, "@modelcontextprotocol/server-basic-vanillajs", "2.0.3"),
            Self::AppMonitor => (NODE_20, "@modelcontextprotocol/server-system-monitor", "2.0.3"),
            // The last version whose command line runs on Node 20.
            Self::Inspector1 => (NODE_20, "@modelcontextprotocol/inspector", "0.15.0"),
            Self::Inspector2 => (NODE_22, hosts::INSPECTOR.name, hosts::INSPECTOR.version),
            Self::TypescriptSdk => (NODE_22, hosts::TYPESCRIPT_SDK.name, hosts::TYPESCRIPT_SDK.version),
            Self::Node22 => (NODE_22, hosts::NODE_22.name, hosts::NODE_22.version),
            Self::Time => (SDK_2, "mcp-server-time", "2026.10.19"),
            Self::Git => (SDK_2, "mcp-server-git", "2026.10.19"),
            Self::Fetch => (SDK_2, "mcp-server-fetch", "2026.10.19"),
            Self::FastMcp => (SDK_2, "fastmcp", "4.1.2"),
            Self::PythonSdk2 => (SDK_2, "mcp", hosts::PYTHON_SDK),
            // The last versions on the SDK's first version.
            Self::TimeOnSdk1 => (SDK_1, "mcp-server-time", "2026.10.10"),
            Self::GitOnSdk1 => (SDK_1, "mcp-server-git", "2026.10.10"),
            Self::FetchOnSdk1 => (SDK_1, "mcp-server-fetch", "2026.10.10"),
            Self::Sqlite => (SDK_1, "mcp-server-sqlite", "2025.4.25"),
            Self::PythonSdk1 => (SDK_1, "mcp", "1.30.0"),
            Self::OpenapiTypescript => (OPENAPI, "openapi-typescript", "7.13.0"),
            Self::OpenapiFetch => (OPENAPI, "openapi-fetch", "0.17.0"),
            // The last version that `openapi-typescript` runs with.
            Self::Typescript => (OPENAPI, "typescript", "5.9.3"),
            Self::OpenapiValidator => (Source::Pip(PythonHome::Openapi), "openapi-spec-validator", "0.9.0"),
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

    /// Returns the packages of one source that exist for this platform.
    pub(crate) fn of(source: Source) -> impl Iterator<Item = Self> {
        let has = move |package: &Self| package.source() == source && (HAS_NODE || *package != Self::Node22);
        Self::ALL.into_iter().filter(has)
    }

    /// Returns the package in the form for npm.
    pub(super) const fn npm(self) -> NpmPackage {
        NpmPackage { name: self.name(), version: self.version() }
    }
}

impl NpmHome {
    pub(crate) fn folder(self) -> NpmFolder {
        match self {
            Self::Node22 => hosts::node22_folder(),
            _ => NpmFolder::new(self.path()),
        }
    }

    pub(crate) fn path(self) -> PathBuf {
        workspace::peers().join(match self {
            Self::Node20 => "npm",
            Self::Node22 => "npm-node22",
            Self::Openapi => "npm-openapi",
        })
    }

    /// Returns the Node that runs the packages of the folder.
    pub(crate) fn node(self) -> PathBuf {
        match self {
            Self::Node22 if HAS_NODE => self.folder().file(Package::Node22.npm(), "bin/node"),
            _ => PathBuf::from("node"),
        }
    }

    /// Returns the path of a file of one of the folder's packages.
    pub(crate) fn file(self, package: Package, file: &str) -> PathBuf {
        self.folder().file(package.npm(), file)
    }
}

impl PythonHome {
    pub(super) fn venv(self) -> Venv {
        Venv::new(workspace::peers().join(match self {
            Self::Sdk1 => "py-sdk1",
            Self::Sdk2 => "py-sdk2",
            Self::Openapi => "py-openapi",
        }))
    }

    /// Returns the path of a program of the environment.
    pub(crate) fn program(self, name: &str) -> PathBuf {
        self.venv().program(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_package_is_listed_once_with_one_exact_version() {
        let names: HashSet<_> =
            Package::ALL.iter().map(|package| (format!("{:?}", package.source()), package.name())).collect();
        assert_eq!(names.len(), Package::ALL.len());
        for package in Package::ALL {
            let parts: Vec<_> = package.version().split('.').collect();
            assert!(parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok()), "{package:?}");
        }
    }

    #[test]
    fn every_source_has_packages() {
        assert!(Source::ALL.iter().all(|source| Package::of(*source).next().is_some()));
        let all: usize = Source::ALL.iter().map(|source| Package::of(*source).count()).sum();
        assert_eq!(all, Package::ALL.len() - usize::from(!HAS_NODE));
    }
}
