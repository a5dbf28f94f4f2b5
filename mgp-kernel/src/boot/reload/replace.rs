//! Servers of the configuration that are added and replaced at runtime.

use super::reconfigure::Reload;
use crate::{
    ServerSpec,
    upstream::{Command, Server, supervise, supervise_at_rest, take_listing_of},
};
use mgp_discovery::registry::ServerSource;
use mgp_types::lifecycle::ShutdownReason;
use std::sync::Arc;
use tokio::sync::mpsc;

impl Reload {
    /// Returns a server of the configuration that is not leaving.
    pub(super) fn configured_server(&self, id: &str) -> Option<Arc<Server>> {
        self.set.servers.staying(&[]).into_iter().find(|server| server.id() == id)
    }

    /// Starts a server that is new in the configuration.
    pub(super) async fn begin(&self, spec: ServerSpec) {
        let entry = spec.registered(ServerSource::Configuration(Some(spec.trust)));
        if let Err(error) = self.set.servers.registry.add(entry) {
            return tracing::error!(server = spec.id, %error, "a server of the configuration cannot be added");
        }
        // Its names have their position from now on, regardless of the order of connections.
        if let Err(error) = self.set.tools.names.update_server(&spec.id, Vec::new()).await {
            tracing::warn!(server = spec.id, %error, "its names get their place when it connects");
        }
        let (server, commands) = self.server_of(spec);
        self.set.supervision.recall(std::slice::from_ref(&server)).await;
        self.set.start(&server, commands, None);
        self.set.offers_changed(&server);
    }

    /// Replaces a server by one with other settings. The old server takes no new calls, and ends when its calls have ended. The new
    /// server has the old one's tools until it lists its own. Calls in the meantime wait for it as for any restarting server.
    pub(super) async fn replace(&self, before: &Arc<Server>, spec: ServerSpec) {
        let (server, commands) = self.server_of(spec);
        let trust = server.spec.trust;
        let entry = server.spec.registered(ServerSource::Configuration(Some(trust)));
        let changed = self.set.servers.registry.update(server.id(), |known| {
            known.source = entry.source;
            known.extensions = entry.extensions;
            known.configured_permissions = entry.configured_permissions;
        });
        if let Err(error) = changed {
            tracing::error!(%error, "a server is missing from the registry");
        }
        let is_known = take_listing_of(&server, before);
        // Before its tools: from here on, the old server does not put its own back.
        server.succeeds(before);
        self.instances.end_of(before, None);
        if server.succession.generation() != before.succession.generation() {
            self.session_states.forget_server(before.succession.generation());
        }
        self.set.supervision.observer.tools_recalled(std::slice::from_ref(&server)).await;
        if server.spec.lazy {
            if is_known {
                self.set.servers.put_to_sleep(&server);
            } else {
                server.connection.set_lists_only();
            }
        }
        let (supervision, after, old) = (self.set.supervision.clone(), server.clone(), before.clone());
        // A server that the operator stopped stays stopped.
        let rests = self.set.rights.stopped.has(server.id());
        self.set.servers.replace(before, server, |supervisor| {
            tokio::spawn(async move {
                // A supervisor that panicked has dropped its connection and its process.
                let _ = supervisor.await;
                old.stop_announcing();
                supervision.servers.publish_status(&after);
                if rests {
                    supervise_at_rest(supervision, after, commands).await;
                } else {
                    supervise(supervision, after, commands).await;
                }
            })
        });
        // Last, because it refuses calls from here on.
        before.commands.stop(ShutdownReason::ConfigurationChange, None);
    }

    fn server_of(&self, spec: ServerSpec) -> (Arc<Server>, mpsc::Receiver<Command>) {
        let spec = ServerSpec { kernel_files: self.set.kernel_files.clone(), ..spec };
        let (server, commands) = self.set.supervision.server(spec);
        server.succession.set_added_at_runtime();
        (server, commands)
    }

    /// Sorts the servers of the configuration into its order, which decides on names.
    pub(super) async fn arrange(&self, order: &[String]) {
        let _order = self.set.tools.rebuilding.lock().await;
        self.set.servers.arrange(order);
        self.set.tools.names.arrange(order).await;
        let table = self.set.tools.load().with(self.set.tools.names.view(), Vec::new());
        self.set.tools.table.store(Arc::new(table));
        self.set.tools.shown_changed(&self.set.hosts);
    }
}
