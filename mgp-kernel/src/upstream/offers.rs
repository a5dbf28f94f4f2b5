//! The tools, resources and prompts that a server listed last.

use super::{
    Link, ServerSpec,
    listing::{ListedTool, read_all},
    warnings::{Warnings, warn_of_left_out, warn_of_mended},
};
use crate::ground::changes::Changes;
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
use std::{sync::Arc, time::Instant};

/// The maximum number of resources, templates or prompts read from one server.
const LIMIT: usize = 10_000;

/// The tools, resources and prompts that a server listed last.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    /// The announced changes that are not handled yet.
    pub(super) changes: Changes,
    tools: Mutex<Arc<[ListedTool]>>,
    resources: Mutex<Arc<Resources>>,
    prompts: Mutex<Arc<[NamedEntry]>>,
    pub(super) resources_read: LastRead,
    pub(super) prompts_read: LastRead,
}

/// The time at which a list was last read for a host; locked during the read.
pub(super) type LastRead = Arc<tokio::sync::Mutex<Option<Instant>>>;

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
    pub(super) fn prompts(warnings: &Warnings, prompts: Vec<RawJson>) -> Vec<Self> {
        named(warnings, "prompt", prompts, "name", &warnings.unreadable_prompts, conform_prompt)
    }
}

impl Resources {
    /// Returns the resources and templates that can be parsed.
    pub(super) fn read(warnings: &Warnings, resources: Vec<RawJson>, templates: Vec<RawJson>) -> Self {
        let (of_resources, of_templates) = (&warnings.unreadable_resources, &warnings.unreadable_templates);
        let (noun, key) = ("resource template", "uriTemplate");
        Self {
            resources: named(warnings, "resource", resources, "uri", of_resources, conform_resource),
            templates: named(warnings, noun, templates, key, of_templates, conform_resource_template),
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

    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        self.tools.lock().clone()
    }

    pub(super) fn set_tools(&self, tools: Arc<[ListedTool]>) {
        *self.tools.lock() = tools;
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

    /// Reads the resources again, and returns whether they have changed. If the server cannot list them now, the known resources stay.
    pub(super) async fn read_resources(&self, link: &Link, spec: &ServerSpec, warnings: &Warnings) -> bool {
        if !link.capabilities.has("resources") {
            return false;
        }
        let (control, id) = (link.control(), &*spec.id);
        let read = async {
            let resources = read_all::<ListResources>(&control, "resources", id, LIMIT).await?;
            let templates = read_all::<ListResourceTemplates>(&control, "resourceTemplates", id, LIMIT).await;
            // A server may have no templates and not know the method.
            Ok::<_, CallError>((resources, templates.unwrap_or_default()))
        };
        let Some((resources, templates)) = in_time(spec, "resources", &warnings.resources, read).await else {
            return false;
        };
        let read = Resources::read(warnings, resources, templates);
        let mut known = self.resources.lock();
        let changed = **known != read;
        *known = Arc::new(read);
        changed
    }

    /// Reads the prompts again, and returns whether they have changed. If the server cannot list them now, the known prompts stay.
    pub(super) async fn read_prompts(&self, link: &Link, spec: &ServerSpec, warnings: &Warnings) -> bool {
        if !link.capabilities.has("prompts") {
            return false;
        }
        let (control, id) = (link.control(), &*spec.id);
        let read = read_all::<ListPrompts>(&control, "prompts", id, LIMIT);
        let Some(prompts) = in_time(spec, "prompts", &warnings.prompts, read).await else {
            return false;
        };
        let read = NamedEntry::prompts(warnings, prompts);
        let mut known = self.prompts.lock();
        let changed = **known != *read;
        *known = read.into();
        changed
    }
}

/// Waits for a list of a server; `None`, with a warning, if the server cannot list it now.
async fn in_time<T>(
    spec: &ServerSpec,
    noun: &str,
    limit: &LogLimit,
    read: impl Future<Output = Result<T, CallError>>,
) -> Option<T> {
    let timeout = spec.discovery_timeout;
    match tokio::time::timeout(timeout, read).await {
        Ok(Ok(list)) => return Some(list),
        Ok(Err(error)) => {
            if let Some(left_out) = limit.admit() {
                tracing::warn!(server = spec.id, %error, left_out, "failed to list its {noun}");
            }
        }
        Err(_) => tracing::warn!(
            server = spec.id,
            "took longer than {timeout:?} ({}) to list its {noun}",
            spec.limit_keys.discovery
        ),
    }
    None
}

/// Returns the entries with a name or URI under `key`, in a form that is valid by MCP's schema. Others are left out with a warning that
/// names them.
fn named(
    warnings: &Warnings,
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
    warnings.keep_odd(&left_out, &mended);
    warn_of_left_out(limit, &warnings.server_id, &left_out);
    warn_of_mended(&warnings.mended_entries, &warnings.server_id, &mended);
    valid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> NamedEntry {
        NamedEntry { name: name.to_owned(), definition: RawJson::empty_object() }
    }

    #[test]
    fn a_uri_belongs_to_a_server_that_lists_it_or_its_template() {
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
