//! A tool call with its context.

use crate::{CountingService, json};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{CallContext, CallRecord, CancelToken, ToolCall},
};
use mgp_types::{
    context::{Principal, RiskLevel, Target, ToolId},
    rpc::RawParams,
    tool_security::{Confirmation, DefinitionHash, Leaves, ReadonlySettings, SandboxSettings, ToolProfile},
};
use std::sync::Arc;

/// A tool call, as layers and gates receive it.
#[derive(Debug)]
pub struct TestCall {
    /// The call, whose caller is not known yet.
    pub call: ToolCall<()>,
    /// The caller.
    pub principal: Principal,
    /// The record of the call.
    pub record: CallRecord,
}

impl TestCall {
    /// Creates a `tools/call` of the harmless tool `t` of the server `s`.
    ///
    /// # Panics
    /// If the params are not JSON.
    #[must_use]
    pub fn new(params: &str) -> Self {
        let target = Target { tool: ToolId::new("s", "t"), called_as: "t".into() };
        let call = ToolCall::new(1, RawParams::from(json(params)), target, Arc::new(plain_profile()));
        Self { record: call.record.clone(), principal: Principal::agent("unknown"), call }
    }

    /// Sets the profile of the tool.
    #[must_use]
    pub fn profile(mut self, profile: ToolProfile) -> Self {
        self.call.profile = Arc::new(profile);
        self
    }

    /// Makes the call a dry run.
    #[must_use]
    pub fn dry(mut self) -> Self {
        self.call.dry_run = true;
        self
    }

    /// Sets the caller.
    #[must_use]
    pub fn principal(mut self, id: &str) -> Self {
        self.principal = Principal::agent(id);
        self
    }

    /// Puts the call on a session with or without a principal. Needs a runtime.
    #[must_use]
    pub fn on_session(mut self, principal: Option<Principal>, cancel: &CancelToken) -> Self {
        self.call.ext.insert(context(principal, cancel));
        self
    }

    /// Returns the call as gates receive it.
    #[must_use]
    pub fn identified(self) -> ToolCall {
        self.call.identified(self.principal)
    }
}

/// Returns the context of a message on a session with or without a principal. Needs a runtime.
#[must_use]
pub fn context(principal: Option<Principal>, cancel: &CancelToken) -> CallContext {
    let (here, _there) = memory::pair();
    let connection = Connection::builder(CountingService::new()).over(here.0, here.1);
    let peer = connection.peer().clone();
    if let Some(principal) = principal {
        peer.session().set(principal);
    }
    CallContext { peer, cancel: cancel.clone() }
}

/// Returns the profile of a harmless tool of a trusted server.
#[must_use]
pub fn plain_profile() -> ToolProfile {
    ToolProfile {
        permissions: Vec::new(),
        invalid_permissions: Vec::new(),
        risk: RiskLevel::Safe,
        risk_reason: "you trust its server, and nothing says more".into(),
        validators: Vec::new(),
        confirmation: Confirmation::Never,
        leaves: Leaves::All,
        code_safety: Vec::new(),
        takes_commands: false,
        sandbox: SandboxSettings::default(),
        readonly: ReadonlySettings::default(),
        confirmation_message: None,
        max_input_bytes: None,
        reads_only: false,
        claimed_units: 0,
        definition: DefinitionHash::new([0; 32]),
    }
}
