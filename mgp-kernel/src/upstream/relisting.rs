//! Reads the lists of a server again when it announces changes, or, if it never does, when a host requests them.

use super::{
    Link, ListedTool, Server, listing::list_tools, offers::LastRead, servers::Servers,
    supervision::Supervision,
};
use crate::ground::changes::Change;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The minimum time between two reads of a server's tools, even if it announces more changes.
const LISTING_PAUSE: Duration = Duration::from_secs(1);

/// The number of attempts to read a server's tools. After them, the last list stays until the server announces another change.
const LISTING_TRIES: u32 = 5;

/// The time for which a list read for one host is reused for others.
const FRESH: Duration = Duration::from_millis(250);

/// The maximum time that a host waits for one server's list to be read again. After that, the host gets the previous list.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads a server's lists again after each announced change. Does not return.
pub(super) async fn keep_listing(supervision: &Supervision, server: &Arc<Server>, link: &Arc<Link>) {
    let Supervision { servers, listings, observer, .. } = supervision;
    loop {
        let changed = server.offers.changes.next().await;
        // A server may announce changes that did not happen.
        let resources = changed.has(Change::Resources) && read_resources(server, link).await;
        let prompts = changed.has(Change::Prompts) && read_prompts(server, link).await;
        if resources {
            servers.warn_of_resource_overlaps();
        }
        for (_, change) in
            [(resources, Change::Resources), (prompts, Change::Prompts)].iter().filter(|(new, _)| *new)
        {
            observer.offers_changed(*change);
        }
        if resources || prompts {
            listings.keep(server).await;
        }
        if changed.has(Change::Tools) {
            list_tools_again(supervision, server, link).await;
        }
        tokio::time::sleep(LISTING_PAUSE).await;
    }
}

async fn list_tools_again(supervision: &Supervision, server: &Arc<Server>, link: &Arc<Link>) {
    let observer = &supervision.observer;
    let mut pause = LISTING_PAUSE;
    // A busy server may list its tools later.
    for _ in 0..LISTING_TRIES {
        let timeout = server.spec.discovery_timeout;
        match tokio::time::timeout(timeout, list_tools(link, &server.spec, &server.warnings)).await {
            // Without changes, nothing is rebuilt and no host is notified. Tools that could not be pinned or indexed are tried
            // again.
            Ok(Ok(tools)) if is_same(&server.tools(), &tools) && observer.has_tools(server, &tools) => {
                return;
            }
            Ok(Ok(tools)) => {
                server.set_tools(tools);
                observer.tools_listed(server).await;
                observer.announce_permissions(server, link);
                supervision.listings.keep(server).await;
                return;
            }
            Ok(Err(error)) => {
                tracing::warn!(server = server.id(), %error, "failed to read its tools again");
            }
            Err(_) => tracing::warn!(
                server = server.id(),
                "took longer than {timeout:?} ({}) to list its tools again",
                server.spec.limit_keys.discovery
            ),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

/// Returns whether two lists have the same definitions in the same order, parsed the same way.
fn is_same(one: &[ListedTool], other: &[ListedTool]) -> bool {
    fn parts(listed: &ListedTool) -> (&[u8], bool) {
        (listed.definition.as_bytes(), listed.of_mgp)
    }
    one.iter().map(parts).eq(other.iter().map(parts))
}

async fn read_resources(server: &Server, link: &Link) -> bool {
    server.offers.read_resources(link, &server.spec, &server.warnings).await
}

async fn read_prompts(server: &Server, link: &Link) -> bool {
    server.offers.read_prompts(link, &server.spec, &server.warnings).await
}

/// Reads the resources of one of `servers` again, if the server does not announce changes.
pub(crate) async fn refresh_resources(server: &Arc<Server>, servers: &Arc<Servers>) {
    let Some(link) = server.link().filter(|link| !link.capabilities.list_changed("resources")) else {
        return;
    };
    let (reading, servers) = (server.clone(), servers.clone());
    let read = async move {
        if read_resources(&reading, &link).await {
            servers.warn_of_resource_overlaps();
        }
    };
    refresh(&server.offers.resources_read, read).await;
}

/// Reads the prompts of a server again, if the server does not announce changes.
pub(crate) async fn refresh_prompts(server: &Arc<Server>) {
    let Some(link) = server.link().filter(|link| !link.capabilities.list_changed("prompts")) else {
        return;
    };
    let reading = server.clone();
    let read = async move {
        let _ = read_prompts(&reading, &link).await;
    };
    refresh(&server.offers.prompts_read, read).await;
}

/// Reads a list, or waits for another read in progress, for at most [`PATIENCE`].
async fn refresh(last: &LastRead, read: impl Future<Output = ()> + Send + 'static) {
    let done = async {
        let Ok(mut last) = last.clone().try_lock_owned() else {
            drop(last.lock().await);
            return;
        };
        if last.is_none_or(|read| read.elapsed() > FRESH) {
            // The read continues even if the host stops waiting.
            let read = tokio::spawn(async move {
                read.await;
                *last = Some(Instant::now());
            });
            let _ = read.await;
        }
    };
    if tokio::time::timeout(PATIENCE, done).await.is_err() {
        tracing::debug!("a list is answered from the last read: reading it again takes long");
    }
}
