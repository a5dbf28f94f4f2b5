//! The handle for a program that operates a kernel.

use super::{OperatorHandles, notices::notices, report};
use crate::{
    catalog::{
        tools::{SuspectTool, suspect_tools},
        unavailable::{ClosedTools, closed_tools, open_waiting, waiting_groups},
    },
    path::refusal::nearest,
};
use mgp_security::{
    audit::{AuditError, EventDraft},
    definition::DefinitionStanding,
    limits::{CallUse, Limits, quota::Quotas},
    validator::{ValidatorAnswer, Validators},
};
use mgp_toolindex::{catalogue::NamedTool, index::IndexStats};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
    lifecycle::{KernelStatus, KernelStatusParams, ServerNotice},
    tool_check::ToolQuota,
    tool_index::WaitingTools,
    tool_metadata::CallEstimate,
};
use std::{fmt, sync::Arc};
use tokio::sync::watch;

/// The view of a kernel for its operator, from [`Kernel::operator`](crate::Kernel::operator): the judgement of its gates, the state of its
/// tools, and notices about its servers. It is meant for programs that explain to a person why a tool is offered or refused.
///
/// ```
/// use mgp_kernel::Kernel;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kernel = Kernel::builder().start().await?;
/// for notice in kernel.operator().notices() {
///     eprintln!("{}", notice.text);
/// }
/// kernel.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Operator<'a> {
    pub(in crate::boot) handles: &'a OperatorHandles,
    pub(in crate::boot) limits: &'a Limits,
    pub(in crate::boot) quotas: &'a Quotas,
    /// The validators of the pipeline.
    pub(in crate::boot) validators: &'a Validators,
}

/// A tool, with the judgement of the gates.
#[derive(Debug, Clone)]
pub struct JudgedTool {
    /// The tool, by its name for hosts.
    pub named: NamedTool,
    /// The server's own definition, which is the pinned one. If it breaks MCP's schema, hosts are shown a valid form.
    pub definition: RawJson,
    /// The operator's changes of the tool, a phrase each, without the values of arguments.
    pub shaping: Vec<String>,
    /// The assessment of its risk, its permissions and its validators.
    pub profile: Arc<mgp_security::profile::ToolProfile>,
    /// The server's claims about the latency and cost of a call, and the latency measured by this kernel.
    pub estimate: CallEstimate,
    /// The units that a call costs in each quota that counts it.
    pub units: u64,
}

impl Operator<'_> {
    /// Records an event of the program in the kernel's audit trail, like an event of the kernel: subscribers of `system.audit` receive it once it is
    /// stored.
    ///
    /// # Errors
    /// The event could not be stored.
    ///
    /// ```
    /// use mgp_kernel::{AuditEventType, EventDraft, Kernel, MemorySink, Principal};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let trail = MemorySink::new(100);
    /// let kernel = Kernel::builder().audit_sink(trail.clone()).start().await?;
    /// let event = EventDraft::new(AuditEventType::from("com.acme.NOTES_CLEANED"), &Principal::operator("ann"));
    /// kernel.operator().record(event.detail("removed", &3)).await?;
    /// assert!(trail.events().iter().any(|event| event.event_type.as_str() == "com.acme.NOTES_CLEANED"));
    /// # Ok(()) }
    /// ```
    pub async fn record(&self, event: EventDraft) -> Result<(), AuditError> {
        self.handles.trail.sink.record(event.finish()).await
    }

    /// Returns the kernel's report on its servers, its hosts and its queues, as the method `dev.cloto/kernel/status` returns it.
    pub async fn status(&self, params: &KernelStatusParams) -> KernelStatus {
        report::of(self.handles, params, None).await
    }

    /// Returns whether the arguments of every call are checked against the schema of the call's tool, and not only on request.
    #[must_use]
    pub fn checks_arguments(&self) -> bool {
        self.handles.tools.checks_arguments
    }

    /// Returns the tool that hosts may call by a name, regardless of access rights.
    #[must_use]
    pub fn judged_tool(&self, name: &str) -> Option<JudgedTool> {
        let tools = self.handles.tools.load();
        let entry = tools.resolve(name)?;
        Some(JudgedTool {
            named: tools.names.named(&entry.id)?,
            definition: entry.definition.clone(),
            shaping: entry.shape.as_ref().map(|shape| shape.summary()).unwrap_or_default(),
            profile: entry.profile.clone(),
            estimate: entry.estimate(),
            units: self.quotas.cost(&entry.id, entry.profile.claimed_units),
        })
    }

    /// Returns the quota that leaves a principal the fewest units for a tool; `None` if no quota applies to the tool, or if the store cannot be
    /// read.
    pub async fn quota(&self, principal: &Principal, tool: &ToolId) -> Option<ToolQuota> {
        let tools = self.handles.tools.load();
        let units = tools.entry(tool)?.profile.claimed_units;
        self.quotas.remaining(principal.id(), None, &[(tool.clone(), units)]).await.pop()?
    }

    /// Returns a sentence for each rate limit that counts a principal's calls of a tool.
    #[must_use]
    pub fn limits(&self, principal: &Principal, tool: &ToolId) -> Vec<String> {
        self.limits.sentences(&CallUse { agent: principal.id(), key: None, tool })
    }

    /// Returns the answer of each validator of a tool to the arguments of a principal's call, regardless of other gates.
    pub async fn validator_answers(
        &self,
        principal: &Principal,
        tool: &JudgedTool,
        arguments: &RawJson,
    ) -> Vec<ValidatorAnswer> {
        self.validators.answers(principal.id(), &tool.profile, arguments).await
    }

    /// Returns the tools that wait for an undecided permission, by server and by missing permissions. These are the tools that
    /// `principal` could call otherwise, or all of them without a principal. Each of these permissions becomes an open question.
    pub async fn waiting_tools(&self, principal: Option<&Principal>) -> Vec<WaitingTools> {
        let mut waiting = Vec::new();
        let handles = self.handles;
        for group in waiting_groups(&handles.rights, &handles.tools.table.load_full(), principal) {
            waiting.push(open_waiting(&handles.rights.permissions, group).await);
        }
        waiting
    }

    /// Returns the tools that are hidden for a reason that no answer to an open question would change, by server and with the
    /// reason. These are the tools that `principal` could call otherwise, or all of them without a principal.
    #[must_use]
    pub fn closed_tools(&self, principal: Option<&Principal>) -> Vec<ClosedTools> {
        closed_tools(&self.handles.rights, &self.handles.tools.load(), principal)
    }

    /// Returns notices on servers whose offers are changed for hosts, and on unconfined servers with tools that run commands or code.
    /// Offers are changed if resources are reached at an earlier server, or if definitions break MCP's schema.
    #[must_use]
    pub fn notices(&self) -> Vec<ServerNotice> {
        notices(&self.handles.servers, &self.handles.tools.load())
    }

    /// Returns the tools that are shown to a principal although their definition differs from the accepted one, by their names for
    /// hosts.
    #[must_use]
    pub fn changed_tools(&self, principal: &Principal) -> Vec<String> {
        let (rights, tools) = (&self.handles.rights, &self.handles.tools);
        let (view, table) = (tools.offered.view(principal), tools.load());
        let is_changed = |named: &NamedTool| {
            let definition = table.entry(named.tool.id()).map(|entry| entry.profile.definition);
            definition.is_some_and(|definition| {
                rights.definitions.standing(named.tool.id(), definition) == DefinitionStanding::Changed
            })
        };
        let shown = table.names.iter().filter(|named| view.sees(named.tool.id()));
        shown.filter(is_changed).map(|named| named.name.to_string()).collect()
    }

    /// Scans the definitions of all tools, or of one server's, for parts that may be meant to mislead a model or a person. Returns the
    /// number of tools, and the suspicious ones.
    #[must_use]
    pub fn suspect_tools(&self, server_id: Option<&str>) -> (usize, Vec<SuspectTool>) {
        suspect_tools(&self.handles.tools.load(), server_id)
    }

    /// Returns the names that a principal probably meant by an unknown name.
    #[must_use]
    pub fn meant(&self, principal: &Principal, name: &str) -> Vec<String> {
        nearest(&self.handles.tools, principal, name)
    }

    /// Returns statistics on the whole tool index, including tools that not everybody may see.
    #[must_use]
    pub fn index_stats(&self) -> IndexStats {
        self.handles.tools.names.index().stats()
    }

    /// Returns a watch on the number of tools that the embedder has not read yet.
    #[must_use]
    pub fn index_waiting(&self) -> watch::Receiver<usize> {
        self.handles.tools.names.index().waiting()
    }
}

impl fmt::Debug for Operator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").field("servers", &self.handles.servers).finish_non_exhaustive()
    }
}
