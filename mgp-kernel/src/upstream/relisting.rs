//! Reads the lists of a server again when it announces changes.

use super::{Link, Server, listing::list_tools, server::ListedTool, supervision::Supervision};
use crate::ground::changes::Change;
use std::{sync::Arc, time::Duration};

/// The minimum time between two reads of a server's tools, even if it announces more changes.
const LISTING_PAUSE: Duration = Duration::from_secs(1);

/// The number of attempts to read a server's tools. After them, the last list stays until the server announces another change.
const LISTING_TRIES: u32 = 5;

/// Reads a server's lists again after each announced change. Does not return.
pub(super) async fn keep_listing(supervision: &Supervision, server: &Arc<Server>, link: &Arc<Link>) {
    let Supervision { servers, listings, observer, .. } = supervision;
    loop {
        let changed = server.changes.next().await;
        // A server may announce changes that did not happen.
        let resources = changed.has(Change::Resources) && server.offers.read_resources(server, link).await;
        let prompts = changed.has(Change::Prompts) && server.offers.read_prompts(server, link).await;
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
        match tokio::time::timeout(timeout, list_tools(link, server)).await {
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
