//! A leg with running programs.

use super::Leg;
use crate::{
    folders,
    processes::{Announcement, Program, Service},
    suite::Subject,
};
use std::{fs, path::Path};
use tokio::process::Command;

/// The agent of the suite's calls, behind the kernel.
const AGENT: &str = "conformance";
/// The kernel's name for the fixture.
const FIXTURE: &str = "fixture";

/// A leg with running programs.
#[derive(Debug)]
pub(crate) struct RunningLeg {
    pub(crate) subject: Subject,
    /// The services that the leg needs. Dropping them ends the kernel before the server behind it.
    _services: Vec<Service>,
}

impl RunningLeg {
    /// Starts the services of a leg whose programs are built.
    pub(crate) async fn start(leg: Leg) -> Result<Self, String> {
        let folder = folders::of_run(leg.as_str())?;
        match leg {
            Leg::Server => {
                let fixture = fixture(&folder).await?;
                Ok(Self { subject: Subject::Url(fixture.url().to_owned()), _services: vec![fixture] })
            }
            Leg::Gateway => {
                let fixture = fixture(&folder).await?;
                let kernel = kernel(&folder, fixture.url()).await?;
                Ok(Self { subject: Subject::Url(kernel.url().to_owned()), _services: vec![kernel, fixture] })
            }
            Leg::Client => {
                Ok(Self { subject: Subject::Program(Program::Client.path()), _services: Vec::new() })
            }
        }
    }
}

async fn fixture(folder: &Path) -> Result<Service, String> {
    let mut command = Command::new(Program::Fixture.path());
    command.args(["--listen", "127.0.0.1:0"]);
    Service::start(command, Announcement::OnStdout("listening on "), &folder.join("fixture.log")).await
}

async fn kernel(folder: &Path, url: &str) -> Result<Service, String> {
    let path = folder.join("mgp.toml");
    fs::write(&path, config(url)).map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    let mut command = Command::new(Program::Kernel.path());
    command.arg("serve").arg("--config").arg(&path).arg("--state-dir").arg(folder.join("state"));
    command.args(["--agent", AGENT, "--exposure", "full", "--http", "127.0.0.1:0"]);
    Service::start(command, Announcement::OnStderr("serving MCP at "), &folder.join("kernel.log")).await
}

/// Returns the configuration of a kernel that permits everything, because its messages are tested, not its refusals.
fn config(url: &str) -> String {
    format!(
        "\
[kernel]
agent = \"{AGENT}\"
start_wait_ms = 60000

[[servers]]
id = \"{FIXTURE}\"
url = \"{url}\"

[servers.mgp]
confirmation = \"never\"

[permissions]
policy = \"auto_approve\"

[access]
grants = [{{ agent = \"{AGENT}\", server = \"{FIXTURE}\" }}]
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_may_use_the_fixture_through_the_kernel() {
        let config = config("http://127.0.0.1:1/mcp");
        assert!(config.contains("url = \"http://127.0.0.1:1/mcp\""));
        assert!(config.contains("grants = [{ agent = \"conformance\", server = \"fixture\" }]"), "{config}");
    }
}
