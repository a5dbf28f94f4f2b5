//! A leg with running programs.

use super::Leg;
use crate::{
    folders,
    processes::{Announcement, Program, Service},
    suite::Subject,
};
use std::{fs, net::SocketAddr, path::Path};
use tokio::process::Command;
use xtask_testing::{Balancer, postgres, replica_tables, replicas_obstacle};

/// The agent of the suite's calls, behind the kernel.
const AGENT: &str = "conformance";
/// The kernel's name for the fixture.
const FIXTURE: &str = "fixture";
/// The names of the replicas.
const REPLICAS: [&str; 3] = ["a", "b", "c"];

/// A leg with running programs.
#[derive(Debug)]
pub(crate) struct RunningLeg {
    pub(crate) subject: Subject,
    _balancer: Option<Balancer>,
    /// The services that the leg needs. Dropping them ends the kernel before the server behind it.
    _services: Vec<Service>,
}

impl RunningLeg {
    /// Returns a reason why this machine cannot run a leg.
    pub(crate) fn obstacle(leg: Leg) -> Option<String> {
        (leg == Leg::Replicas).then(|| replicas_obstacle("cargo xtask conformance")).flatten()
    }

    /// Starts the services of a leg whose programs are built.
    pub(crate) async fn start(leg: Leg) -> Result<Self, String> {
        let folder = folders::of_run(leg.as_str())?;
        match leg {
            Leg::Server => {
                let fixture = fixture(&folder).await?;
                Ok(Self {
                    subject: Subject::Url(fixture.url().to_owned()),
                    _balancer: None,
                    _services: vec![fixture],
                })
            }
            Leg::Gateway => {
                let fixture = fixture(&folder).await?;
                let kernel = kernel(&folder, "kernel", &config(fixture.url())).await?;
                Ok(Self {
                    subject: Subject::Url(kernel.url().to_owned()),
                    _balancer: None,
                    _services: vec![kernel, fixture],
                })
            }
            Leg::Replicas => {
                let database = postgres().await.ok_or("there is no PostgreSQL")?;
                let fixture = fixture(&folder).await?;
                let config = of_replica(fixture.url(), &database);
                let (mut services, mut addresses) = (Vec::new(), Vec::new());
                for name in REPLICAS {
                    let replica = kernel(&folder, name, &config).await?;
                    addresses.push(address(replica.url())?);
                    services.push(replica);
                }
                let balancer = Balancer::start(&folder, &addresses)?;
                let subject = Subject::Url(balancer.url());
                services.push(fixture);
                Ok(Self { subject, _balancer: Some(balancer), _services: services })
            }
            Leg::Client => Ok(Self {
                subject: Subject::Program(Program::Client.path()),
                _balancer: None,
                _services: Vec::new(),
            }),
        }
    }
}

async fn fixture(folder: &Path) -> Result<Service, String> {
    let mut command = Command::new(Program::Fixture.path());
    command.args(["--listen", "127.0.0.1:0"]);
    Service::start(command, Announcement::OnStdout("listening on "), &folder.join("fixture.log")).await
}

/// Starts a kernel with a state folder and a log of this name.
async fn kernel(folder: &Path, name: &str, config: &str) -> Result<Service, String> {
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, config).map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    let mut command = Command::new(Program::Kernel.path());
    command.arg("serve").arg("--config").arg(&path).arg("--state-dir").arg(folder.join(name));
    command.args(["--agent", AGENT, "--exposure", "full", "--http", "127.0.0.1:0"]);
    let log = folder.join(format!("{name}.log"));
    Service::start(command, Announcement::OnStderr("serving MCP at "), &log).await
}

/// Returns the address in the URL of a replica.
fn address(url: &str) -> Result<SocketAddr, String> {
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    address.parse().map_err(|error| format!("a replica announces the address {url:?}: {error}"))
}

/// Returns the configuration of a replica.
fn of_replica(url: &str, database: &str) -> String {
    format!("{}\n{}", replica_tables(database), config(url))
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
    fn a_replica_has_the_database_and_the_configuration_of_a_kernel() {
        let config = of_replica("http://127.0.0.1:1/mcp", "postgres://x");
        assert!(config.starts_with("[store]\nurl = \"postgres://x\"\n\n[replicas]\n"), "{config}");
        assert!(config.ends_with(&super::config("http://127.0.0.1:1/mcp")), "{config}");
    }

    #[test]
    fn the_agent_may_use_the_fixture_through_the_kernel() {
        let config = config("http://127.0.0.1:1/mcp");
        assert!(config.contains("url = \"http://127.0.0.1:1/mcp\""));
        assert!(config.contains("grants = [{ agent = \"conformance\", server = \"fixture\" }]"), "{config}");
    }
}
