//! The service that answers requests for capabilities.

use super::{Approvals, candidates::candidates, params::ToolsRequest, sharpen::sharpen};
use crate::{
    catalogue::{CatalogueView, NamedTool},
    discover::ServerStates,
    index::{Hit, Query, SearchFilter},
    session::{Sessions, ToolSession},
    tool::{Detail, ToolDetails},
};
use mgp_transport::seam::ToolView;
use mgp_types::{
    context::{Principal, ToolId},
    lifecycle::ServerState,
    rpc::ErrorObject,
    tool_index::{
        LoadedTool, PendingApproval, RequestStatus, RequestToolsParams, RequestToolsResult, ToolIndexNotes,
    },
};
use std::{collections::HashSet, sync::Arc};

/// The most tools that are loaded for one capability: the best, and those that are nearly as good.
const MAX_PER_CAPABILITY: usize = 3;
/// The least relevance of a further tool, as a share of the best one's. A tool below it is clearly worse.
const NEARLY: f64 = 0.8;

/// The requests of capabilities, which load tools. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Requests {
    sessions: Sessions,
    states: Arc<dyn ServerStates>,
    approvals: Arc<dyn Approvals>,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestOutcome {
    /// The answer.
    pub result: RequestToolsResult,
    /// True if the tools that the session has cached have changed.
    pub changed: bool,
    /// The capabilities that no tool has. Those of [tools that do not fit](RequestToolsResult::tools_unavailable) are not
    /// included.
    pub missing: Vec<String>,
}

/// The outcome for one capability.
enum CapabilityMatch {
    /// Tools that can be called, the best first.
    Tools(Vec<NamedTool>),
    /// A tool that waits for an approval, and clearly worse tools that can be called in the meantime.
    Waits(PendingApproval, Vec<NamedTool>),
    Nothing,
}

impl Requests {
    /// Creates a service that loads tools into these sessions. Only servers that `states` reports as connected are searched.
    #[must_use]
    pub fn new(sessions: Sessions, states: Arc<dyn ServerStates>, approvals: Arc<dyn Approvals>) -> Self {
        Self { sessions, states, approvals }
    }

    /// Checks the params of `mgp/tools/request` without loading anything.
    ///
    /// # Errors
    /// Returns the same errors as [`request`](Self::request).
    pub fn check(&self, params: &RequestToolsParams) -> Result<(), ErrorObject> {
        ToolsRequest::read(params).map(drop)
    }

    /// Answers `mgp/tools/request`.
    ///
    /// A capability that no tool has is unavailable: creating tools, and the answer `creating`, are the kernel's part.
    ///
    /// # Errors
    /// Returns -32602, naming the invalid parameter.
    pub async fn request(
        &self,
        principal: &Principal,
        session: &ToolSession,
        params: &RequestToolsParams,
        with_security: bool,
    ) -> Result<RequestOutcome, ErrorObject> {
        let asked = ToolsRequest::read(params)?;
        let catalogue = self.sessions.catalogue().view();
        let view = self.sessions.visibility().view(principal);
        let waiting = self.approvals.waiting(principal);
        let mut found = Vec::new();
        for (capability, query) in &asked.capabilities {
            found.push(self.find(&asked, capability, query, &catalogue, &*view, &*waiting).await?);
        }
        let loaded = self.sessions.load(principal, session, in_rounds(&found), with_security);
        let has = |tool: &NamedTool| loaded.tools.iter().any(|loaded| loaded.name == tool.name);
        let (mut served, mut pending) = (0, Vec::new());
        let (mut unavailable, mut missing) = (Vec::new(), Vec::new());
        for ((capability, _), found) in asked.capabilities.iter().zip(found) {
            match found {
                CapabilityMatch::Tools(tools) if tools.iter().any(has) => served += 1,
                // A tool without room is unavailable.
                CapabilityMatch::Tools(_) => unavailable.push(capability.clone()),
                CapabilityMatch::Nothing => {
                    unavailable.push(capability.clone());
                    missing.push(capability.clone());
                }
                CapabilityMatch::Waits(approval, _) => pending.push(approval),
            }
        }
        let status = if served == asked.capabilities.len() {
            RequestStatus::Fulfilled
        } else if served > 0 {
            RequestStatus::Partial
        } else if pending.is_empty() {
            RequestStatus::Unavailable
        } else {
            RequestStatus::PendingApproval
        };
        let notes =
            ToolIndexNotes { cut: loaded.cut, pending_approvals: pending, ..ToolIndexNotes::default() };
        let result = RequestToolsResult {
            status,
            tools_loaded: loaded.tools.iter().map(shown).collect(),
            tools_unavailable: unavailable,
            session_tools_count: loaded.count,
            context_tokens_added: loaded.added,
            recommendations: Vec::new(),
            notes: notes.some(),
        };
        Ok(RequestOutcome { result, changed: loaded.changed, missing })
    }

    async fn find(
        &self,
        asked: &ToolsRequest,
        capability: &str,
        query: &Query,
        catalogue: &CatalogueView,
        view: &dyn ToolView,
        waiting: &dyn ToolView,
    ) -> Result<CapabilityMatch, ErrorObject> {
        let connected = self.states.in_state(ServerState::Connected);
        let filter = SearchFilter { servers: connected, ..SearchFilter::default() };
        let index = self.sessions.catalogue().index();
        let hits = sharpen(candidates(index, query, &filter, view)?, asked);
        // Approval is requested only if every tool that can be called is clearly worse, or none serves.
        let waits = match hits.first() {
            Some(best) if best.relevance() >= NEARLY => Vec::new(),
            _ => sharpen(candidates(index, query, &filter, waiting)?, asked),
        };
        let waits = match waits.first() {
            Some(first) if is_clearly_better(first, hits.first(), asked) => best(waits, catalogue),
            _ => Vec::new(),
        };
        let tools = best(hits, catalogue);
        if let Some(tool) = waits.into_iter().next() {
            let permissions = self.approvals.open(tool.tool.id()).await?;
            // No permissions: they were decided since the search: the next request finds the tool.
            if !permissions.is_empty() {
                let approval = PendingApproval {
                    capability: capability.to_owned(),
                    name: tool.name.to_string(),
                    server_id: tool.tool.id().server_id.to_string(),
                    permissions,
                };
                return Ok(CapabilityMatch::Waits(approval, tools));
            }
        }
        Ok(if tools.is_empty() { CapabilityMatch::Nothing } else { CapabilityMatch::Tools(tools) })
    }
}

/// Returns whether a tool that waits for an approval is so much better than the best callable tool that the latter is only a
/// makeshift. A tool that is more dangerous than preferred is never clearly better than one that is not.
fn is_clearly_better(waits: &Hit, callable: Option<&Hit>, asked: &ToolsRequest) -> bool {
    let Some(callable) = callable else { return true };
    let is_preferred = |hit: &Hit| asked.preferred_risk.is_none_or(|most| hit.tool.risk() <= most);
    callable.relevance() < waits.relevance() * NEARLY && (is_preferred(waits) || !is_preferred(callable))
}

/// Returns the best tool, and those that are nearly as good.
fn best(hits: Vec<Hit>, catalogue: &CatalogueView) -> Vec<NamedTool> {
    let enough = hits.first().map_or(0.0, |best| best.relevance() * NEARLY);
    let good = hits.into_iter().filter(|hit| hit.relevance() >= enough);
    // A tool that no longer has a name was removed in between.
    good.take(MAX_PER_CAPABILITY).filter_map(|hit| catalogue.named(hit.tool.id())).collect()
}

/// Returns every capability's best tool first, then every second-best, and so on. If there is not enough room for all, every
/// capability gets one tool before any gets several.
fn in_rounds(found: &[CapabilityMatch]) -> Vec<NamedTool> {
    let lists: Vec<&[NamedTool]> = found
        .iter()
        .map(|found| match found {
            CapabilityMatch::Tools(tools) | CapabilityMatch::Waits(_, tools) => &tools[..],
            CapabilityMatch::Nothing => &[],
        })
        .collect();
    let mut seen: HashSet<&ToolId> = HashSet::new();
    let rounds =
        (0..MAX_PER_CAPABILITY).flat_map(|round| lists.iter().filter_map(move |list| list.get(round)));
    rounds.filter(|tool| seen.insert(tool.tool.id())).cloned().collect()
}

/// Returns a tool in the form of answers to requests.
#[must_use]
pub fn shown(NamedTool { name, tool }: &NamedTool) -> LoadedTool {
    // The session's budget already includes the whole definition.
    let ToolDetails { output_schema, annotations, meta } = tool.details(Detail::Whole);
    LoadedTool {
        name: name.to_string(),
        server_id: tool.id().server_id.to_string(),
        description: tool.description(),
        input_schema: tool.input_schema(),
        output_schema,
        annotations,
        security: Some(tool.shown_security()),
        meta,
        estimate: None,
    }
}
