//! Pins over a store that others may share, with their trail.

use crate::{
    audit::{AuditSink, MemorySink},
    definition::{
        DecisionError, DefinitionStanding, DefinitionStore, DefinitionText, Definitions, HoldReason,
        Occasion, OnChange, SqlDefinitionStore, SqlStore,
    },
    profile::ToolProfile,
    testing::{Inner, TestCall, code, plain_profile},
};
use mgp_transport::seam::GateLayer;
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

pub(super) const HELD: DefinitionStanding = DefinitionStanding::Held(HoldReason::Changed);

pub(super) fn operator() -> Principal {
    Principal::operator("ann")
}

/// Returns the tool `t` of the server `s`.
pub(super) fn tool() -> ToolId {
    ToolId::new("s", "t")
}

/// Returns a definition of the tool, with a description.
pub(super) fn described(description: &str) -> RawJson {
    text(&json!({"name": "t", "description": description, "inputSchema": {"type": "object"}}))
}

pub(super) fn text(value: &Value) -> RawJson {
    RawJson::parse(value.to_string()).unwrap()
}

/// The pins of one kernel.
#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) definitions: Definitions,
    pub(super) sink: MemorySink,
}

impl Kernel {
    pub(super) async fn new() -> Self {
        Self::over(Arc::new(SqlDefinitionStore::in_memory()), MemorySink::new(100)).await
    }

    pub(super) async fn over(store: Arc<dyn DefinitionStore>, sink: MemorySink) -> Self {
        let recorded: Arc<dyn AuditSink> = Arc::new(sink.clone());
        Self { definitions: Definitions::open(store, recorded).await.unwrap(), sink }
    }

    /// Lists the tool with a definition, and returns its status.
    pub(super) async fn lists(&self, on_change: OnChange, definition: &RawJson) -> DefinitionStanding {
        self.observes(on_change, Occasion::Listing, definition).await.unwrap();
        self.standing(definition)
    }

    pub(super) async fn observes(
        &self,
        on_change: OnChange,
        occasion: Occasion,
        definition: &RawJson,
    ) -> Result<Vec<ToolId>, DecisionError> {
        let hash = DefinitionText::of(definition).hash;
        let (seen, noted) =
            self.definitions.observe("s", on_change, occasion, [("t", hash, definition)]).await;
        noted.map(|()| seen)
    }

    pub(super) fn standing(&self, definition: &RawJson) -> DefinitionStanding {
        self.definitions.standing(&tool(), DefinitionText::of(definition).hash)
    }

    /// Calls the tool under a definition. Returns the code and the message of a refusal.
    pub(super) async fn call(&self, definition: &RawJson) -> Option<(i64, String)> {
        let profile = ToolProfile { definition: DefinitionText::of(definition).hash, ..plain_profile() };
        let call = TestCall::new("{}").profile(profile).identified();
        let reply = GateLayer::new(self.definitions.clone()).layer(Inner::new()).oneshot(call).await.unwrap();
        Some((code(&reply)?, reply.as_error()?.message.clone()))
    }

    /// Returns the events, except those of intents.
    pub(super) fn events(&self) -> Vec<String> {
        let lines =
            self.sink.events().into_iter().map(|event| format!("{} {}", event.event_type, event.result));
        lines.filter(|line| !line.contains("CHANGE_INTENDED")).collect()
    }
}
