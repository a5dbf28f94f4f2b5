//! Replicas of our kernel on one database, behind a balancer.

use super::{Kernel, Service};
use crate::rows::Context;
use std::net::{Ipv4Addr, SocketAddr};
use xtask_testing::{Balancer, postgres, replica_tables, replicas_obstacle};

/// The names of the replicas' state folders.
const REPLICAS: [&str; 3] = ["a", "b", "c"];

/// Running replicas. Each request goes to the next one.
#[derive(Debug)]
pub(crate) struct Replicas {
    balancer: Balancer,
    services: Vec<Service>,
}

impl Replicas {
    /// Returns the reason why this machine cannot run replicas.
    pub(crate) fn obstacle() -> Option<String> {
        replicas_obstacle("cargo xtask peers")
    }

    /// Starts replicas of a configured kernel.
    pub(crate) async fn start(kernel: Kernel, context: &Context) -> Result<(Self, Kernel), String> {
        let database = postgres().await.ok_or("PostgreSQL does not run")?;
        let kernel = kernel.with(context, &replica_tables(&database))?;
        let mut services = Vec::new();
        for name in REPLICAS {
            services.push(kernel.http_with_state(context, name, &format!("replica-{name}")).await?);
        }
        let addresses: Vec<SocketAddr> =
            services.iter().map(|service| (Ipv4Addr::LOCALHOST, service.port()).into()).collect();
        let balancer = Balancer::start(context.folder.path(), &addresses)?;
        Ok((Self { balancer, services }, kernel))
    }

    /// Returns the URL of the balancer.
    pub(crate) fn url(&self) -> String {
        self.balancer.url()
    }

    /// Asks the replicas to end, and waits until they have ended.
    pub(crate) async fn stop(self) -> Result<(), String> {
        drop(self.balancer);
        for service in self.services {
            service.stop().await?;
        }
        Ok(())
    }
}
