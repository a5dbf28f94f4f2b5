//! All machines of a run.

use super::{
    Agents, Database, Replica,
    balancer::Balancer,
    configuration::Settings,
    programs::text,
    replica::{PEERS, PORT},
    tool_server::ToolServer,
};
use crate::replicas::network::Network;
use std::{env, net::SocketAddr, path::Path};

/// All machines of a run.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) database: Database,
    pub(crate) replicas: Vec<Replica>,
    balancer: Balancer,
    _tool_server: ToolServer,
}

impl Fleet {
    /// Starts all machines, and waits until the replicas are ready.
    pub(crate) async fn start(
        count: usize,
        agents: Agents,
        folder: &Path,
        effects: &Path,
    ) -> Result<Self, String> {
        let mut network = Network::new()?;
        let database = Database::start(network.add("database")?, folder).await?;
        let tool_server = ToolServer::start(network.add("tools")?, folder, effects)?;
        let balancer = network.add("balancer")?;
        let machines: Vec<_> =
            (0..count).map(|number| network.add(&format!("replica{number}"))).collect::<Result<_, _>>()?;
        let addresses: Vec<_> = machines.iter().map(super::super::network::Machine::address).collect();
        let balancer = Balancer::start(balancer, folder, &addresses)?;
        let program = env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
        let (program, effects) = (text(&program)?, text(effects)?);
        let mut replicas = Vec::new();
        for machine in machines {
            let settings = Settings {
                database: database.url(),
                address: machine.address(),
                ports: [PORT, PEERS],
                balancer: balancer.address(),
                tool_server: tool_server.address,
                program: &program,
                effects: &effects,
                agents,
            };
            replicas.push(Replica::new(machine, folder, &settings)?);
        }
        let mut fleet = Self { database, replicas, balancer, _tool_server: tool_server };
        for replica in &mut fleet.replicas {
            replica.start()?;
        }
        for replica in &mut fleet.replicas {
            replica.ready().await?;
        }
        Ok(fleet)
    }

    /// Returns the address of the balancer, which hosts use.
    pub(crate) fn address(&self) -> SocketAddr {
        self.balancer.address()
    }

    /// Returns the addresses of the replicas.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.replicas.iter().map(Replica::address).collect()
    }
}
