//! Lists, loads and evicts the tools of sessions.

use super::{
    PinnedTools, SessionView, ToolSession,
    cache::Place,
    settle::{SettleContext, settle},
};
use crate::{
    budget::{Budget, cut},
    catalogue::{Catalogue, CatalogueView, NamedTool},
};
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::Principal,
    rpc::ErrorObject,
    tool_index::{CutResults, EvictToolsParams, EvictToolsResult, SessionToolsResult},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The most tools that one request can evict.
pub const MAX_EVICTED: usize = 256;

/// The longest name of a tool that is looked up, and the longest reason, in bytes.
const MAX_TEXT: usize = 1024;

/// The tools of sessions. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Sessions {
    catalogue: Catalogue,
    visibility: Arc<dyn Visibility>,
    pinned: PinnedTools,
    budget: Budget,
    /// True once a warning was logged that the pinned tools take more than their reserve.
    warned: Arc<AtomicBool>,
}

/// The outcome of loading tools.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOutcome {
    /// The requested tools that the session has now.
    pub tools: Vec<NamedTool>,
    /// The tokens of those tools that the session did not have before.
    pub added: u64,
    /// The tools that do not fit. `None` if all fit.
    pub cut: Option<CutResults>,
    /// The number of tools that the session has.
    pub count: u64,
    /// True if the tools that the session has cached have changed.
    pub changed: bool,
}

/// The outcome of evicting tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictOutcome {
    /// The answer for the host.
    pub result: EvictToolsResult,
    /// True if the tools that the session has cached have changed.
    pub changed: bool,
}

impl Sessions {
    /// Creates the service of sessions over a catalogue. `visibility` decides which tools a principal may see.
    #[must_use]
    pub fn new(
        catalogue: Catalogue,
        visibility: Arc<dyn Visibility>,
        pinned: PinnedTools,
        budget: Budget,
    ) -> Self {
        Self { catalogue, visibility, pinned, budget, warned: Arc::default() }
    }

    /// Returns the budget of each session.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the catalogue that the sessions' tools come from.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the visibility of tools, by principal.
    #[must_use]
    pub fn visibility(&self) -> &Arc<dyn Visibility> {
        &self.visibility
    }

    /// Returns the tools that every session always has.
    #[must_use]
    pub fn pinned(&self) -> &PinnedTools {
        &self.pinned
    }

    /// Returns the tokens that the results of one search may take.
    #[must_use]
    pub fn discovery_room(&self, principal: &Principal, with_security: bool) -> u64 {
        if self.pinned.is_empty() {
            return self.budget.discovery_room(0);
        }
        let (catalogue, view) = (self.catalogue.view(), self.visibility.view(principal));
        let scene = self.scene(&catalogue, &*view, with_security);
        self.budget.discovery_room(scene.sum(&self.pinned.tools(&catalogue, &*view)))
    }

    /// Returns a session's tools at this moment, after the removal of those that no longer fit.
    #[must_use]
    pub fn settle(&self, principal: &Principal, session: &ToolSession, with_security: bool) -> SessionView {
        let (catalogue, view) = (self.catalogue.view(), self.visibility.view(principal));
        let scene = self.scene(&catalogue, &*view, with_security);
        let settled = session.settle(&scene);
        let (pinned, reserve) = (scene.sum(&settled.pinned), self.budget.limits().pinned_reserve);
        if pinned > reserve && !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                pinned,
                reserve,
                "the pinned tools take more tokens than their reserve: sessions keep fewer others"
            );
        }
        settled
    }

    /// Answers `mgp/tools/session`, for a [settled](Self::settle) session.
    #[must_use]
    pub fn describe(&self, settled: &SessionView) -> SessionToolsResult {
        SessionToolsResult {
            pinned: names(&settled.pinned),
            cached: names(&settled.cached),
            total_tokens: settled.tokens,
            max_tokens: self.budget.limits().max_tokens,
            notes: None,
        }
    }

    /// Checks the params of `mgp/tools/session/evict` without evicting anything.
    ///
    /// # Errors
    /// Returns the same errors as [`evict`](Self::evict).
    pub fn check_evict(&self, principal: &Principal, params: &EvictToolsParams) -> Result<(), ErrorObject> {
        check(params)?;
        let (catalogue, view) = (self.catalogue.view(), self.visibility.view(principal));
        self.meant(&self.scene(&catalogue, &*view, false), params).map(drop)
    }

    /// Returns the tools to evict. A tool that the principal may not see is treated as nonexistent, even if it is pinned.
    fn meant(
        &self,
        scene: &SettleContext<'_>,
        params: &EvictToolsParams,
    ) -> Result<Vec<NamedTool>, ErrorObject> {
        let meant: Vec<NamedTool> =
            params.tools.iter().filter_map(|name| scene.seen(scene.catalogue.resolve(name)?)).collect();
        let pinned_ids = self.pinned.ids(scene.catalogue);
        let pinned: Vec<&str> =
            meant.iter().filter(|tool| pinned_ids.contains(tool.tool.id())).map(|tool| &*tool.name).collect();
        if pinned.is_empty() {
            return Ok(meant);
        }
        let names = pinned.join(", ");
        Err(invalid("tools", format_args!("pinned tools are never evicted: {names}")))
    }

    /// Answers `mgp/tools/session/evict`. A tool that the session does not have, or that does not exist, is ignored.
    ///
    /// # Errors
    /// Returns -32602 if the number or length of texts is out of bounds, and for pinned tools, which the message names. Nothing
    /// is evicted then.
    pub fn evict(
        &self,
        principal: &Principal,
        session: &ToolSession,
        params: &EvictToolsParams,
        with_security: bool,
    ) -> Result<EvictOutcome, ErrorObject> {
        check(params)?;
        let (catalogue, view) = (self.catalogue.view(), self.visibility.view(principal));
        let scene = self.scene(&catalogue, &*view, with_security);
        let meant = self.meant(&scene, params)?;
        scene.count_ahead(session);
        let mut cache = session.0.lock();
        let before = settle(&mut cache, &scene);
        let mut evicted = Vec::new();
        for tool in meant {
            let removed = cache.tools.remove(tool.tool.id());
            if removed.is_some_and(|entry| entry.place == Place::Cached) {
                evicted.push(tool.name.to_string());
            }
        }
        let after = settle(&mut cache, &scene);
        let changed = before.changed || after.changed || !evicted.is_empty();
        Ok(EvictOutcome {
            result: EvictToolsResult { evicted, total_tokens: after.tokens, notes: None },
            changed,
        })
    }

    /// Loads tools into a session, the most wanted first, as many as fit into its cache. Other tools are evicted to make room,
    /// the least recently used first.
    #[must_use]
    pub fn load(
        &self,
        principal: &Principal,
        session: &ToolSession,
        tools: Vec<NamedTool>,
        with_security: bool,
    ) -> LoadOutcome {
        let (catalogue, view) = (self.catalogue.view(), self.visibility.view(principal));
        let scene = self.scene(&catalogue, &*view, with_security);
        scene.count_ahead(session);
        for tool in &tools {
            scene.tokens(tool);
        }
        let mut cache = session.0.lock();
        let before = settle(&mut cache, &scene);
        let room = self.budget.cache_room(scene.sum(&before.pinned));
        let is_pinned = |tool: &NamedTool| before.pinned.iter().any(|pinned| pinned.name == tool.name);
        let had = |tool: &NamedTool| before.cached.iter().any(|cached| cached.name == tool.name);
        // A pinned tool takes no more tokens than before.
        let price = |tool: &NamedTool| if is_pinned(tool) { 0 } else { scene.tokens(tool) };
        let fitting = cut(tools, room, price, |tool| tool.name.to_string());
        let added = fitting.kept.iter().filter(|tool| !had(tool)).map(price).sum();
        // The most wanted tool is touched last, so that it is evicted last.
        for tool in fitting.kept.iter().rev() {
            cache.touch(tool.tool.id());
        }
        let after = settle(&mut cache, &scene);
        LoadOutcome {
            tools: fitting.kept,
            added,
            cut: fitting.note,
            count: (after.pinned.len() + after.cached.len()) as u64,
            changed: before.changed || after.changed,
        }
    }

    fn scene<'a>(
        &'a self,
        catalogue: &'a CatalogueView,
        view: &'a dyn ToolView,
        with_security: bool,
    ) -> SettleContext<'a> {
        SettleContext { catalogue, view, pinned: &self.pinned, budget: &self.budget, with_security }
    }
}

fn names(tools: &[NamedTool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

fn check(params: &EvictToolsParams) -> Result<(), ErrorObject> {
    let count = params.tools.len();
    if !(1..=MAX_EVICTED).contains(&count) {
        return Err(invalid("tools", format_args!("{count} names: expected 1 to {MAX_EVICTED}")));
    }
    if let Some(name) = params.tools.iter().find(|name| name.is_empty() || name.len() > MAX_TEXT) {
        let length = name.len();
        return Err(invalid("tools", format_args!("a name of {length} bytes: expected 1 to {MAX_TEXT}")));
    }
    if let Some(length) = params.reason.as_ref().map(String::len).filter(|length| *length > MAX_TEXT) {
        return Err(invalid("reason", format_args!("{length} bytes: expected at most {MAX_TEXT}")));
    }
    Ok(())
}

fn invalid(field: &str, problem: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid {field}: {problem}"))
}
