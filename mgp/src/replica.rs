//! This gateway as a replica: one of several gateways that share the sessions of hosts over HTTP.

use crate::{error::CliError, setup::Setup};
use mgp_transport::http::server::{HttpServer, HttpServerBuilder};
use std::time::Duration;

#[cfg(feature = "postgres")]
pub(crate) use shared::Replica;

#[cfg(feature = "postgres")]
mod shared {
    use super::{CliError, Duration, HttpServer, HttpServerBuilder, Setup};
    use crate::{exit::Exit, output::say};
    use mgp_discovery::config::Text;
    use mgp_transport::{
        http::server::{ReplicaNetwork, RunningReplicaNetwork},
        seam::ReplicaStore,
    };
    use std::sync::Arc;

    /// This gateway as one of several that share sessions.
    #[derive(Debug)]
    pub(crate) struct Replica {
        store: Arc<dyn ReplicaStore>,
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

        /// Serves other replicas until the returned value is dropped.
        pub(crate) fn serve(self, server: &HttpServer) -> RunningReplicaNetwork {
            say(&format!("serving other replicas at {}", self.network.client().address()));
            self.network.serve(server.replica_router())
        }
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

    pub(crate) fn serve(self, _: &HttpServer) -> Self {
        self
    }
}
