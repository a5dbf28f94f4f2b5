//! The catalogue, kept up to date.

use super::CatalogueView;
use crate::{
    categories::file_by_server,
    index::{IndexError, ToolIndex},
    names::NameConflict,
    tool::IndexedTool,
};
use arc_swap::ArcSwap;
use futures_util::future::try_join_all;
use std::{fmt, sync::Arc};
use tokio::sync::Mutex;

/// All tools of all servers. A clone refers to the same catalogue.
#[derive(Clone)]
pub struct Catalogue(Arc<Inner>);

struct Inner {
    index: ToolIndex,
    published: ArcSwap<CatalogueView>,
    servers: Mutex<Vec<ServerTools>>,
}

#[derive(Clone)]
struct ServerTools {
    id: Arc<str>,
    tools: Vec<Arc<IndexedTool>>,
}

impl Catalogue {
    /// Creates an empty catalogue. The order of the servers is that of the configuration. It decides which server keeps a bare
    /// name.
    ///
    /// # Errors
    /// Returns [`IndexError::Engine`] if the index cannot be created.
    pub fn new<I>(server_ids: I) -> Result<Self, IndexError>
    where
        I: IntoIterator<Item: Into<Arc<str>>>,
    {
        Ok(Self::over(ToolIndex::new()?, server_ids))
    }

    /// Creates an empty catalogue over `index`, which must be empty.
    pub fn over<I>(index: ToolIndex, server_ids: I) -> Self
    where
        I: IntoIterator<Item: Into<Arc<str>>>,
    {
        let listed = |id: I::Item| ServerTools { id: id.into(), tools: Vec::new() };
        let servers = Mutex::new(server_ids.into_iter().map(listed).collect());
        Self(Arc::new(Inner { index, published: ArcSwap::default(), servers }))
    }

    /// Replaces the tools of a server. A new server comes last.
    ///
    /// A server that is down keeps its tools and their names. Returns the tools of the server that are hidden
    /// by a name conflict.
    ///
    /// # Errors
    /// Returns an [`IndexError`]; lists and calls are then unchanged.
    pub async fn update_server(
        &self,
        server_id: &str,
        mut tools: Vec<IndexedTool>,
    ) -> Result<Vec<NameConflict>, IndexError> {
        file_by_server(server_id, &mut tools);
        let tools: Vec<_> = tools.into_iter().map(Arc::new).collect();
        self.change(&[server_id], |servers| replace(servers, server_id, tools)).await
    }

    /// Replaces the tools of several servers at once, which takes little longer than for one. Returns the tools of these servers that are
    /// hidden by a name conflict.
    ///
    /// # Errors
    /// Returns an [`IndexError`]; lists and calls are then unchanged.
    pub async fn update_servers(
        &self,
        servers: Vec<(Arc<str>, Vec<IndexedTool>)>,
    ) -> Result<Vec<NameConflict>, IndexError> {
        let ids: Vec<_> = servers.iter().map(|(id, _)| id.clone()).collect();
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        let update = |known: &mut Vec<ServerTools>| {
            for (id, mut tools) in servers {
                file_by_server(&id, &mut tools);
                replace(known, &id, tools.into_iter().map(Arc::new).collect());
            }
        };
        self.change(&ids, update).await
    }

    /// Sets the order of servers, which decides which of them keeps a bare name. Other servers follow in their previous order.
    pub async fn arrange(&self, order: &[String]) {
        let mut servers = self.0.servers.lock().await;
        servers.sort_by_key(|server| order.iter().position(|id| **id == *server.id).unwrap_or(usize::MAX));
        let view = CatalogueView::new(servers.iter().map(|server| (&*server.id, &server.tools[..])));
        self.0.published.store(Arc::new(view));
    }

    /// Removes a server, and its place in the order.
    ///
    /// # Errors
    /// Returns an [`IndexError`]; lists and calls are then unchanged.
    pub async fn remove_server(&self, server_id: &str) -> Result<(), IndexError> {
        self.change(&[server_id], |servers| servers.retain(|server| &*server.id != server_id)).await.map(drop)
    }

    async fn change(
        &self,
        server_ids: &[&str],
        change: impl FnOnce(&mut Vec<ServerTools>),
    ) -> Result<Vec<NameConflict>, IndexError> {
        // Held until the index has the change too, so that two changes reach both in the same order. Readers do not lock it.
        let mut servers = self.0.servers.lock().await;
        let mut changed = servers.clone();
        change(&mut changed);
        let view = CatalogueView::new(changed.iter().map(|server| (&*server.id, &server.tools[..])));
        // All at once, so that the index applies them together.
        let updates = server_ids.iter().map(|id| self.0.index.update_server(*id, view.of_server(id)));
        try_join_all(updates).await?;
        let hidden =
            view.conflicts().iter().filter(|conflict| server_ids.contains(&&*conflict.tool.server_id));
        let hidden = hidden.cloned().collect();
        *servers = changed;
        self.0.published.store(Arc::new(view));
        Ok(hidden)
    }

    /// Returns the catalogue at this moment.
    #[must_use]
    pub fn view(&self) -> Arc<CatalogueView> {
        self.0.published.load_full()
    }

    /// Returns the index over the tools that are not hidden.
    #[must_use]
    pub fn index(&self) -> &ToolIndex {
        &self.0.index
    }
}

fn replace(servers: &mut Vec<ServerTools>, id: &str, tools: Vec<Arc<IndexedTool>>) {
    match servers.iter_mut().find(|server| &*server.id == id) {
        Some(server) => server.tools = tools,
        None => servers.push(ServerTools { id: id.into(), tools }),
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("index", &self.0.index).finish_non_exhaustive()
    }
}
