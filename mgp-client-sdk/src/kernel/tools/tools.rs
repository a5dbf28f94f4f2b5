//! The tools of all servers: their table, their index, and the sessions of hosts that use them.

use super::{OfferedTools, ToolTable, judge};
use crate::kernel::{changes::Change, host::Hosts, server::Server};
use arc_swap::{ArcSwap, Guard};
use mgp_discovery::registry::Registry;
use mgp_toolindex::{
    catalogue::Catalogue,
    discover::Discovery,
    exposure::Exposure,
    index::IndexError,
    names::NameConflict,
    request::Requests,
    session::{Handles, PinnedTools, Sessions},
};
use mgp_types::context::TrustLevel;
use std::{fmt, sync::Arc};
use tokio::sync::{Mutex, OnceCell};

/// The tools of all servers, as hosts find, load and call them.
pub(crate) struct Tools {
    pub(in crate::kernel) table: Arc<ArcSwap<ToolTable>>,
    /// The tools that are offered to each principal.
    pub(in crate::kernel) offered: Arc<OfferedTools>,
    pub(in crate::kernel) exposure: Exposure,
    /// Tools that hosts are always shown: names they are shown under, or `server__tool`.
    pub(in crate::kernel) pinned: PinnedTools,
    /// The names under which hosts are shown the tools, and the index over the tools.
    pub(in crate::kernel) names: Catalogue,
    pub(in crate::kernel) discovery: Discovery,
    /// The tools of hosts' sessions, and the sessions of hosts that have none of their own.
    pub(in crate::kernel) sessions: Sessions,
    pub(in crate::kernel) handles: Handles,
    /// Loads tools into sessions.
    pub(in crate::kernel) requests: Requests,
    /// Set once the counter of tokens is ready.
    pub(in crate::kernel) counts: OnceCell<()>,
    /// Held while the catalogue is rebuilt, so that an older reading never replaces a newer one.
    pub(in crate::kernel) rebuilding: Mutex<()>,
}

impl Tools {
    /// Returns the table of all tools now.
    pub(in crate::kernel) fn load(&self) -> Guard<Arc<ToolTable>> {
        self.table.load()
    }

    /// Takes over a server's new list of tools into the catalogue, the index and the registry. Returns the tools that are hidden because of
    /// their names.
    ///
    /// # Errors
    /// [`IndexError`] if the tools could not be indexed.
    pub(in crate::kernel) async fn take_over(
        &self,
        server: &Arc<Server>,
        registry: &Registry,
    ) -> Result<Vec<NameConflict>, IndexError> {
        let _order = self.rebuilding.lock().await;
        let link = server.link();
        let negotiated = link.as_ref().and_then(|link| link.negotiated.as_ref());
        let noted = registry.set_negotiated(server.id(), negotiated);
        let trust = registry.server(server.id()).map_or(TrustLevel::Sandboxed, |known| known.trust);
        let judged = judge(server, trust);
        // Searches find the new tools from here on.
        self.table.store(Arc::new(self.load().needing(server, &judged)));
        let indexed = judged.iter().map(|tool| tool.indexed.clone()).collect();
        let hidden = self.names.update_server(server.id(), indexed).await?;
        let view = self.names.view();
        let shown: Vec<Arc<str>> = judged
            .iter()
            .map(|tool| tool.indexed.id())
            .filter(|id| view.named(id).is_some())
            .map(|id| id.tool_name.clone())
            .collect();
        if let Err(error) = noted.and_then(|()| registry.set_tools(server.id(), shown)) {
            tracing::error!(%error, "a server is missing from the registry");
        }
        self.table.store(Arc::new(self.load().with(view, server, judged)));
        Ok(hidden)
    }

    /// Has the hosts told that the tools shown to them may have changed. The meta-tools alone never change, so
    /// [`Exposure::Discovery`] tells nobody.
    pub(in crate::kernel) fn shown_changed(&self, hosts: &Hosts) {
        match self.exposure {
            Exposure::Full | Exposure::Category => hosts.changed(Change::Tools),
            Exposure::Hybrid if !self.pinned.is_empty() => hosts.changed(Change::Tools),
            Exposure::Hybrid => hosts.changed(Change::SessionTools),
            Exposure::Discovery => {}
        }
    }

    /// Prepares the counter of tokens, on a thread where the preparation blocks nobody.
    pub(in crate::kernel) async fn can_count(&self) {
        let ready = || async {
            let counter = self.sessions.budget().counter().clone();
            // One that panics does so again when it is asked.
            let _ = tokio::task::spawn_blocking(move || counter.prepare()).await;
        };
        self.counts.get_or_init(ready).await;
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools").field("exposure", &self.exposure).finish_non_exhaustive()
    }
}
