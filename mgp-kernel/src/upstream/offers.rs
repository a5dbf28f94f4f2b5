//! The resources and prompts that a server listed last.

use super::{Link, Server, listing::read_all, warn_of_left_out, warn_of_mended};
use crate::upstream::servers::Servers;
use mgp_client_sdk::{left_out::LeftOutEntries, session::read_entries};
use mgp_transport::seam::{CallError, LogLimit};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{
        ListPrompts, ListResourceTemplates, ListResources,
        conform::{Conformity, conform_prompt, conform_resource, conform_resource_template},
    },
};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The maximum number of resources, templates or prompts read from one server.
const LIMIT: usize = 10_000;

/// The resources and prompts that a server listed last.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    resources: Mutex<Arc<Resources>>,
    prompts: Mutex<Arc<[NamedEntry]>>,
    resources_read: LastRead,
    prompts_read: LastRead,
}

/// The time at which a list was last read for a host; locked during the read.
type LastRead = Arc<tokio::sync::Mutex<Option<Instant>>>;

/// The time for which a list read for one host is reused for others.
const FRESH: Duration = Duration::from_millis(250);

/// The maximum time that a host waits for one server's list to be read again. After that, the host gets the previous list.
const PATIENCE: Duration = Duration::from_secs(2);

/// The resources of a server.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Resources {
    /// The resources, named by URI.
    pub(crate) resources: Vec<NamedEntry>,
    /// The templates of resources, named by URI template.
    pub(crate) templates: Vec<NamedEntry>,
}

/// An entry of a list, with its name or URI.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedEntry {
    pub(crate) name: String,
    pub(crate) definition: RawJson,
}

impl NamedEntry {
    /// Returns the prompts that can be parsed.
    pub(super) fn prompts(server: &Server, prompts: Vec<RawJson>) -> Vec<Self> {
        named(server, "prompt", prompts, "name", &server.warnings.unreadable_prompts, conform_prompt)
    }
}

impl Resources {
    /// Returns the resources and templates that can be parsed.
    pub(super) fn read(server: &Server, resources: Vec<RawJson>, templates: Vec<RawJson>) -> Self {
        let limits = &server.warnings;
        let (of_resources, of_templates) = (&limits.unreadable_resources, &limits.unreadable_templates);
        let (noun, key) = ("resource template", "uriTemplate");
        Self {
            resources: named(server, "resource", resources, "uri", of_resources, conform_resource),
            templates: named(server, noun, templates, key, of_templates, conform_resource_template),
        }
    }

    /// Returns how well a URI matches: best if the URI is listed, else by the length of a template's literal beginning; `None` if
    /// the URI does not match.
    pub(crate) fn fit(&self, uri: &str) -> Option<usize> {
        if self.resources.iter().any(|resource| resource.name == uri) {
            return Some(usize::MAX);
        }
        let beginnings = self.templates.iter().filter_map(|template| literal_beginning(&template.name));
        beginnings.filter(|beginning| uri.starts_with(beginning)).map(str::len).max()
    }

    /// Returns whether any resource or template has the URI's scheme.
    pub(crate) fn has_scheme_of(&self, uri: &str) -> bool {
        let scheme = |uri: &str| uri.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let wanted = scheme(uri);
        wanted.is_some()
            && self.resources.iter().chain(&self.templates).any(|known| scheme(&known.name) == wanted)
    }
}

/// Returns the part of a URI template before its first expression; `None` for a template without an expression, or one that begins with
/// an expression.
pub(crate) fn literal_beginning(template: &str) -> Option<&str> {
    template.split_once('{').map(|(literal, _)| literal).filter(|literal| !literal.is_empty())
}

impl Offers {
    /// Returns whether the server has neither resources nor prompts.
    pub(crate) fn is_empty(&self) -> bool {
        *self.resources() == Resources::default() && self.prompts().is_empty()
    }

    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.resources.lock().clone()
    }

    pub(crate) fn prompts(&self) -> Arc<[NamedEntry]> {
        self.prompts.lock().clone()
    }

    /// Sets the resources and prompts from a kept listing.
    pub(super) fn recall(&self, resources: Resources, prompts: Vec<NamedEntry>) {
        *self.resources.lock() = Arc::new(resources);
        *self.prompts.lock() = prompts.into();
    }

    /// Reads the resources of one of `servers` again, if the server does not announce changes.
    pub(crate) async fn refresh_resources(server: &Arc<Server>, servers: &Arc<Servers>) {
        let Some(link) = server.link().filter(|link| !link.capabilities.list_changed("resources")) else {
            return;
        };
        let (reading, servers) = (server.clone(), servers.clone());
        let read = async move {
            if reading.offers.read_resources(&reading, &link).await {
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
            let _ = reading.offers.read_prompts(&reading, &link).await;
        };
        refresh(&server.offers.prompts_read, read).await;
    }

    /// Reads the resources again, and returns whether they have changed. If the server cannot list them now, the known resources stay.
    pub(crate) async fn read_resources(&self, server: &Server, link: &Link) -> bool {
        if !link.capabilities.has("resources") {
            return false;
        }
        let (control, id) = (link.control(), server.id());
        let read = async {
            let resources = read_all::<ListResources>(&control, "resources", id, LIMIT).await?;
            let templates = read_all::<ListResourceTemplates>(&control, "resourceTemplates", id, LIMIT).await;
            // A server may have no templates and not know the method.
            Ok::<_, CallError>((resources, templates.unwrap_or_default()))
        };
        let Some((resources, templates)) =
            in_time(server, "resources", &server.warnings.resources, read).await
        else {
            return false;
        };
        let read = Resources::read(server, resources, templates);
        let mut known = self.resources.lock();
        let changed = **known != read;
        *known = Arc::new(read);
        changed
    }

    /// Reads the prompts again, and returns whether they have changed. If the server cannot list them now, the known prompts stay.
    pub(crate) async fn read_prompts(&self, server: &Server, link: &Link) -> bool {
        if !link.capabilities.has("prompts") {
            return false;
        }
        let (control, id) = (link.control(), server.id());
        let read = read_all::<ListPrompts>(&control, "prompts", id, LIMIT);
        let Some(prompts) = in_time(server, "prompts", &server.warnings.prompts, read).await else {
            return false;
        };
        let read = NamedEntry::prompts(server, prompts);
        let mut known = self.prompts.lock();
        let changed = **known != *read;
        *known = read.into();
        changed
    }
}

/// Waits for a list of a server; `None`, with a warning, if the server cannot list it now.
async fn in_time<T>(
    server: &Server,
    noun: &str,
    limit: &LogLimit,
    read: impl Future<Output = Result<T, CallError>>,
) -> Option<T> {
    let timeout = server.spec.discovery_timeout;
    match tokio::time::timeout(timeout, read).await {
        Ok(Ok(list)) => return Some(list),
        Ok(Err(error)) => {
            if let Some(left_out) = limit.admit() {
                tracing::warn!(server = server.id(), %error, left_out, "failed to list its {noun}");
            }
        }
        Err(_) => tracing::warn!(
            server = server.id(),
            "took longer than {timeout:?} ({}) to list its {noun}",
            server.spec.limit_keys.discovery
        ),
    }
    None
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

/// Returns the entries with a name or URI under `key`, in a form that is valid by MCP's schema. Others are left out with a warning that
/// names them.
fn named(
    server: &Server,
    noun: &'static str,
    definitions: Vec<RawJson>,
    key: &'static str,
    limit: &LogLimit,
    conform: impl Fn(&RawJson) -> Conformity,
) -> Vec<NamedEntry> {
    let name = |mut entry: RawObject| entry.take::<String>(key)?.ok_or(JsonError::Missing(key));
    let (entries, mut left_out) = read_entries(noun, key, definitions, name);
    let mut mended = LeftOutEntries::of(noun);
    let mut valid = Vec::with_capacity(entries.len());
    for (place, (definition, name)) in entries.into_iter().enumerate() {
        match conform(&definition) {
            Conformity::Valid => valid.push(NamedEntry { name, definition }),
            Conformity::Mended(definition, mends) => {
                mended.add(Some(&name), place, &mends);
                valid.push(NamedEntry { name, definition });
            }
            Conformity::Invalid(mend) => left_out.add(Some(&name), place, &mend),
        }
    }
    server.warnings.keep_odd(server.id(), &left_out, &mended);
    warn_of_left_out(limit, server.id(), &left_out);
    warn_of_mended(&server.warnings.mended_entries, server.id(), &mended);
    valid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> NamedEntry {
        NamedEntry { name: name.to_owned(), definition: RawJson::empty_object() }
    }

    #[test]
    fn a_uri_fits_where_it_is_listed_or_begins_as_a_template_does() {
        let resources = Resources {
            resources: vec![entry("a://one")],
            templates: vec![
                entry("a://t/{id}/x"),
                entry("a://t/deep/{id}"),
                entry("{anything}"),
                entry("a://literal"),
            ],
        };
        assert_eq!(resources.fit("a://one"), Some(usize::MAX));
        assert_eq!(resources.fit("a://t/5/x"), Some(6));
        assert_eq!(resources.fit("a://t/deep/5"), Some(11));
        assert_eq!((resources.fit("a://literal/x"), resources.fit("b://x")), (None, None));
        assert!(
            resources.has_scheme_of("A://x")
                && !resources.has_scheme_of("b://x")
                && !resources.has_scheme_of("x")
        );
    }
}
