//! A snapshot of all tools.

use super::{
    AppSettings, ArgumentExample, ClaimedEstimate, MemberSchema, ToolEntry,
    needs::ServerNeeds,
    suspect::{SuspectTool, scanned},
};
use crate::upstream::{ListedTool, Server, ShapedTool, warn_of_left_out, warn_of_mended};
use hashbrown::HashMap;
use mgp_client_sdk::left_out::LeftOutEntries;
use mgp_security::profile::{ToolFacts, ToolProfile, assess};
use mgp_toolindex::{catalogue::CatalogueView, tool::IndexedTool};
use mgp_types::{
    context::{ToolId, TrustLevel},
    json::RawJson,
    mcp::conform::{Conformity, conform_tool},
    permission::Permission,
};
use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

/// A snapshot of all tools of all servers, including servers that are down, so that names do not depend on which servers are up.
#[derive(Debug, Default)]
pub(crate) struct ToolTable {
    /// The tools' names for hosts.
    pub(crate) names: Arc<CatalogueView>,
    entries: HashMap<ToolId, Arc<ToolEntry>>,
    needs: HashMap<Box<str>, ServerNeeds>,
    /// True if any tool has settings for MCP Apps.
    has_apps: bool,
    /// The suspicious tools, once they were asked for.
    suspects: OnceLock<Vec<SuspectTool>>,
}

impl ToolTable {
    /// Returns the table with new tools of some servers instead of their old ones.
    pub(crate) fn with(&self, names: Arc<CatalogueView>, lists: Vec<(Arc<Server>, Vec<JudgedTool>)>) -> Self {
        // Compared by id, because a server may have replaced another.
        let mut entries = self.entries_without(|server| lists.iter().any(|(one, _)| one.id() == server.id()));
        let mut needs = self.needs.clone();
        for (server, judged) in &lists {
            needs.insert(server.id().into(), ServerNeeds::of(judged, &server.spec.disabled));
        }
        let tools = lists
            .into_iter()
            .flat_map(|(server, judged)| judged.into_iter().map(move |judged| (server.clone(), judged)));
        for (server, judged) in tools {
            #[cfg(feature = "http")]
            let in_headers = judged.in_headers;
            let JudgedTool { indexed, profile, definition, shape, app, .. } = judged;
            let id = indexed.id().clone();
            // Of two tools with the same name on one server, the first is used.
            entries.entry(id.clone()).or_insert_with(|| {
                Arc::new(ToolEntry {
                    id,
                    profile: Arc::new(profile),
                    definition,
                    shape,
                    app,
                    schema: MemberSchema::default(),
                    result_schema: MemberSchema::default(),
                    example: ArgumentExample::default(),
                    scanned: OnceLock::new(),
                    claimed: ClaimedEstimate::default(),
                    server,
                    target: OnceLock::new(),
                    #[cfg(feature = "http")]
                    in_headers,
                })
            });
        }
        Self::of(names, entries, needs)
    }

    fn of(
        names: Arc<CatalogueView>,
        entries: HashMap<ToolId, Arc<ToolEntry>>,
        needs: HashMap<Box<str>, ServerNeeds>,
    ) -> Self {
        let has_apps = entries.values().any(|entry| entry.app.is_some());
        Self { names, entries, needs, has_apps, suspects: OnceLock::new() }
    }

    /// Returns the table in which servers' needs also include those of their new tools, for the time in which searches may find
    /// either the old or the new tools. The tools that `is_open` denies are already in it, so that no search shows their new text.
    pub(crate) fn needing(
        &self,
        lists: &[(Arc<Server>, Vec<JudgedTool>)],
        is_open: impl Fn(&JudgedTool) -> bool,
    ) -> Self {
        let mut entries = self.entries.clone();
        let tools =
            lists.iter().flat_map(|(server, judged)| judged.iter().map(move |judged| (server, judged)));
        for (server, judged) in tools.filter(|(_, judged)| !is_open(judged)) {
            let id = judged.indexed.id().clone();
            let held = ToolEntry {
                id: id.clone(),
                profile: Arc::new(judged.profile.clone()),
                definition: judged.definition.clone(),
                shape: judged.shape.clone(),
                app: judged.app.clone(),
                schema: MemberSchema::default(),
                result_schema: MemberSchema::default(),
                example: ArgumentExample::default(),
                scanned: OnceLock::new(),
                claimed: ClaimedEstimate::default(),
                server: server.clone(),
                target: OnceLock::new(),
                #[cfg(feature = "http")]
                in_headers: Default::default(),
            };
            entries.insert(id, Arc::new(held));
        }
        let mut needs = self.needs.clone();
        for (server, judged) in lists {
            let known = needs.remove(server.id()).unwrap_or_default();
            needs.insert(server.id().into(), known.and(&ServerNeeds::of(judged, &server.spec.disabled)));
        }
        Self::of(self.names.clone(), entries, needs)
    }

    /// Returns the table without a server's tools.
    pub(crate) fn without(&self, names: Arc<CatalogueView>, server: &Arc<Server>) -> Self {
        let mut needs = self.needs.clone();
        needs.remove(server.id());
        Self::of(names, self.entries_without(|other| Arc::ptr_eq(other, server)), needs)
    }

    fn entries_without(&self, is_one: impl Fn(&Arc<Server>) -> bool) -> HashMap<ToolId, Arc<ToolEntry>> {
        let others = self.entries.iter().filter(|(_, entry)| !is_one(&entry.server));
        others.map(|(id, entry)| (id.clone(), entry.clone())).collect()
    }

    /// Returns the tool with a name for hosts, or with a name in the form `server__tool`.
    pub(crate) fn resolve(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.entries.get(self.names.resolve(name)?)
    }

    /// Returns the tool with an id.
    pub(crate) fn entry(&self, id: &ToolId) -> Option<&Arc<ToolEntry>> {
        self.entries.get(id)
    }

    /// Returns the suspicious tools, by server and name.
    pub(super) fn suspects(&self) -> &[SuspectTool] {
        self.suspects.get_or_init(|| scanned(self))
    }

    /// Returns whether any tool has settings for MCP Apps.
    pub(crate) const fn has_apps(&self) -> bool {
        self.has_apps
    }

    /// Returns the tools whose results a page shows, by the page's URI. Servers need not list such a resource.
    pub(crate) fn with_page(&self, uri: &str) -> impl Iterator<Item = &Arc<ToolEntry>> {
        let has_it = move |entry: &&Arc<ToolEntry>| {
            entry.app.as_ref().is_some_and(|app| app.page.as_deref() == Some(uri)) && entry.passes_apps()
        };
        let entries = self.has_apps.then(|| self.entries.values());
        entries.into_iter().flatten().filter(has_it)
    }

    /// Returns the permissions that all tools of a server need together.
    pub(crate) fn needs(&self, server_id: &str) -> Option<&ServerNeeds> {
        self.needs.get(server_id)
    }

    /// Returns every tool, in no particular order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.entries.values()
    }
}

/// A parsed and judged tool.
pub(crate) struct JudgedTool {
    /// The tool in its indexed form.
    pub(crate) indexed: IndexedTool,
    /// The profile with which every gate judges the tool.
    pub(crate) profile: ToolProfile,
    /// The server's own definition.
    pub(crate) definition: RawJson,
    /// The operator's changes, if there are some.
    pub(crate) shape: Option<Arc<ShapedTool>>,
    pub(crate) app: Option<Box<AppSettings>>,
    #[cfg(feature = "http")]
    pub(crate) in_headers: mgp_transport::http::server::AnnotatedArguments,
}

/// Judges the tools that a server lists. A tool that cannot be parsed is left out with a warning.
pub(crate) fn judge(server: &Server, trust: TrustLevel) -> Vec<JudgedTool> {
    let greeting = server.greeting();
    let negotiated = greeting.as_ref().and_then(|greeting| greeting.negotiated.as_ref());
    let declared = negotiated.map_or(&[][..], |negotiated| &negotiated.permissions_required);
    let listed = server.tools();
    let declared = of_no_tool(declared, &listed);
    let (mut unusable, mut mended) = (LeftOutEntries::of("tool"), LeftOutEntries::of("tool"));
    let judged = listed.iter().enumerate().filter_map(|(place, listed)| {
        let shape = listed.shape.clone();
        if listed.is_hidden() {
            return None;
        }
        let mut configured = server.spec.configured(listed.name());
        configured.risk = shape.as_ref().and_then(|shape| shape.shape.risk);
        // The risk is that of the server's own text, because another text does not make a tool harmless.
        let mut facts =
            ToolFacts::of_definition(&listed.definition, &listed.tool, trust, &declared, &configured);
        facts.annotations = listed.annotations();
        let profile = assess(&if listed.of_mgp { facts } else { facts.of_plain_server() });
        let indexed = if listed.of_mgp { IndexedTool::new } else { IndexedTool::of_plain_server };
        let definition = shape.as_ref().map_or(&listed.definition, |shape| &shape.definition);
        let shown = match conform_tool(definition) {
            Conformity::Valid => definition.clone(),
            Conformity::Mended(shown, mends) => {
                mended.add(Some(&listed.tool.name), place, &mends);
                shown
            }
            Conformity::Invalid(mend) => {
                unusable.add(Some(&listed.tool.name), place, &mend);
                return None;
            }
        };
        match indexed(server.id(), &shown, profile.risk) {
            Ok(indexed) => Some(JudgedTool {
                indexed: filed(indexed, &server.spec.categories),
                profile,
                definition: listed.definition.clone(),
                shape,
                app: AppSettings::of(&listed.definition).map(Box::new),
                // Annotations that cannot be followed are ignored.
                #[cfg(feature = "http")]
                in_headers: mgp_transport::http::server::AnnotatedArguments::of_schema(
                    listed.tool.input_schema.as_ref(),
                )
                .unwrap_or_default(),
            }),
            Err(error) => {
                unusable.add(Some(&listed.tool.name), place, &error);
                None
            }
        }
    });
    let judged = judged.collect();
    server.warnings.keep_odd(&unusable, &mended);
    warn_of_left_out(&server.warnings.unusable_tools, server.id(), &unusable);
    warn_of_mended(&server.warnings.mended_tools, server.id(), &mended);
    judged
}

/// Adds the configured categories to a tool.
fn filed(mut tool: IndexedTool, categories: &[String]) -> IndexedTool {
    categories.iter().for_each(|category| tool.file_under(category));
    tool
}

/// Returns the permissions that a server declares and none of its tools names. They apply to every tool that names no permissions.
/// A permission that a tool names only applies to that tool.
fn of_no_tool(declared: &[String], tools: &[ListedTool]) -> Vec<String> {
    let of_tools: HashSet<Permission> = tools
        .iter()
        .filter(|listed| listed.of_mgp)
        .filter_map(|listed| listed.tool.security.as_ref()?.permissions_required.as_ref())
        .flatten()
        .flat_map(|name| Permission::expand(name).unwrap_or_default())
        .collect();
    let known = |name: &&String| {
        Permission::expand(name).is_ok_and(|permissions| permissions.iter().all(|one| of_tools.contains(one)))
    };
    declared.iter().filter(|name| !known(name)).cloned().collect()
}
