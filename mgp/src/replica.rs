//! This gateway as a replica: one of several gateways that share the sessions of hosts over HTTP.

use crate::{error::CliError, setup::Setup};
use mgp_transport::http::server::{HttpServer, HttpServerBuilder};
use std::time::Duration;

#[cfg(feature = "postgres")]
pub(crate) use shared::Replica;

#[cfg(feature = "postgres")]
mod shared {
    use super::{CliError, Duration, HttpServer, HttpServerBuilder, Setup};
    use crate::{exit::Exit, output::say, replica_report};
    use mgp_discovery::config::Text;
    use mgp_kernel::{Kernel, SqlReplicaStore};
    use mgp_transport::http::server::{ReplicaNetwork, RunningReplicaNetwork};
    use std::sync::Arc;
    use tokio::task::JoinSet;

    /// This gateway as one of several that share sessions.
    #[derive(Debug)]
    pub(crate) struct Replica {
        store: Arc<SqlReplicaStore>,
        network: ReplicaNetwork,
    }

    impl Replica {
        /// Binds the address for other replicas; `None` if none is configured. Other replicas can take over the sessions of this one for the time
        /// `kept` after its end.
        pub(crate) async fn join(setup: &Setup, kept: Duration) -> Result<Option<Self>, CliError> {
            let Some(config) = setup.loaded.as_ref().map(|loaded| &loaded.config.replicas) else {
                return Ok(None);
            };
            let Some(listen) = config.listen else { return Ok(None) };
            let store = setup.state.replica(kept)?.ok_or_else(|| {
                CliError::new(Exit::Configuration, "replicas.listen needs a database, and there is none")
                    .help("set store.url to the database that the replicas share")
            })?;
            let network =
                ReplicaNetwork::bind(&store, listen, config.advertise.as_ref().map(Text::value)).await;
            let network = network.map_err(|error| CliError::failed(format!("replicas.listen: {error}")))?;
            Ok(Some(Self { store: Arc::new(store), network }))
        }

        /// Has a server share its sessions.
        pub(crate) fn put_into(&self, builder: HttpServerBuilder) -> HttpServerBuilder {
            builder.replicas(self.store.clone(), self.network.client())
        }

        /// Serves other replicas, and reports on the kernel to them, until the returned value is dropped.
        pub(crate) fn serve(self, server: &HttpServer, kernel: &Kernel) -> RunningReplica {
            let client = self.network.client();
            say(&format!("serving other replicas at {}", client.address()));
            kernel.name_replica(client.address());
            let mut reporting = JoinSet::new();
            reporting.spawn(replica_report::publish(self.store, kernel.clone()));
            RunningReplica { _network: self.network.serve(server.replica_router()), _reporting: reporting }
        }
    }

    /// A replica that serves the others.
    #[derive(Debug)]
    pub(crate) struct RunningReplica {
        _network: RunningReplicaNetwork,
        _reporting: JoinSet<()>,
    }
}

/// The missing replica of a program without PostgreSQL.
#[cfg(not(feature = "postgres"))]
#[derive(Debug)]
pub(crate) enum Replica {}

#[cfg(not(feature = "postgres"))]
impl Replica {
    /// Returns `None`, or an error if an address for other replicas is configured.
    #[expect(clippy::unused_async, reason = "with the feature `postgres`, the address is bound")]
    pub(crate) async fn join(setup: &Setup, _: Duration) -> Result<Option<Self>, CliError> {
        match setup.loaded.as_ref().and_then(|loaded| loaded.config.replicas.listen) {
            Some(_) => Err(crate::setup::without_postgres("replicas.listen")),
            None => Ok(None),
        }
    }

    pub(crate) fn put_into(&self, _: HttpServerBuilder) -> HttpServerBuilder {
        match *self {}
    }

    pub(crate) fn serve(self, _: &HttpServer, _: &mgp_kernel::Kernel) -> Self {
        self
    }
}
