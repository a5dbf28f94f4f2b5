//! Compares the tools that servers list with the pins.

use super::{
    ChangedDefinition, DecisionError, DefinitionDiff, DefinitionText, Definitions, Difference,
    PinnedDefinition, StoreError, pin::version_check, pins::Pin,
};
use crate::audit::EventDraft;
use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{ActorType, Principal, ToolId},
    json::RawJson,
    tool_security::{DefinitionHash, OnChange},
};
use std::collections::{HashMap, HashSet};

/// The type of the event that records that a tool's definition differs from its pin.
pub const TOOL_CHANGED: &str = "dev.cloto.mgp.TOOL_CHANGED";

/// The most differences that one event names.
const MAX_NAMED: usize = 32;

/// The most attempts at a change while other kernels change the same row.
const TRIES: usize = 4;

/// The occasion for comparing a server's tools with the pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The server has listed its tools.
    Listing,
    /// The pins have changed, and the server's tools are those that it listed before. Later notes by other kernels are kept.
    Reload,
}

impl Definitions {
    /// Pins the definitions of a server's tools that have no pin, and notes those that differ from their pins. Each change gets one event,
    /// recorded by one of the kernels that read it. Returns the tools that were pinned or had changed, even if another one failed. If two
    /// tools have the same name, the first counts.
    ///
    /// # Errors
    /// [`DecisionError`] if the pins cannot be read, stored or audited. In that case, changed tools are withheld if their server answers
    /// changes with [`OnChange::Hold`].
    pub async fn observe<'a>(
        &self,
        server_id: &str,
        on_change: OnChange,
        occasion: Occasion,
        definitions: impl IntoIterator<Item = (&'a str, DefinitionHash, &'a RawJson)>,
    ) -> (Vec<ToolId>, Result<(), DecisionError>) {
        self.set_on_change(server_id, on_change);
        let mut names = HashSet::new();
        let first = definitions.into_iter().filter(|(name, ..)| names.insert(*name));
        let listed: Vec<_> =
            first.map(|(name, hash, definition)| (ToolId::new(server_id, name), hash, definition)).collect();
        let mut seen = Vec::new();
        let noted = self.note_all(listed, on_change, occasion, &mut seen).await;
        (seen, noted)
    }

    async fn note_all(
        &self,
        listed: Vec<(ToolId, DefinitionHash, &RawJson)>,
        on_change: OnChange,
        occasion: Occasion,
        seen: &mut Vec<ToolId>,
    ) -> Result<(), DecisionError> {
        self.pin_new(&listed, seen).await?;
        let is_noted = |tool: &ToolId, hash, definition| match self.pin_of(tool) {
            None | Some(Pin::Unreadable) => true,
            // Another version is not a change, but the next change is judged by it.
            Some(pin) => {
                noted(pin, hash, on_change, occasion)
                    && (occasion == Occasion::Reload || self.has_kept_version(tool, definition))
            }
        };
        let changed: Vec<_> = listed
            .into_iter()
            .filter(|(tool, hash, definition)| !is_noted(tool, *hash, definition))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let mut rows = self.rows_by_tool().await?;
        let mut failure = None;
        for (tool, _, definition) in changed {
            let Some(before) = rows.remove(&tool) else { continue };
            // Changes of the other tools are still noted.
            match self.note(before, DefinitionText::of(definition), on_change, occasion).await {
                Ok(true) => seen.push(tool),
                Ok(false) => {}
                Err(error) => failure = Some(error),
            }
        }
        self.reload().await?;
        failure.map_or(Ok(()), Err)
    }

    async fn rows_by_tool(&self) -> Result<HashMap<ToolId, PinnedDefinition>, StoreError> {
        let rows = self.0.store.load().await?.rows;
        Ok(rows.into_iter().map(|row| (row.tool.clone(), row)).collect())
    }

    /// Pins the definitions of the tools that have no pin. Adds those that this kernel, and no other, has pinned to `seen`.
    async fn pin_new(
        &self,
        listed: &[(ToolId, DefinitionHash, &RawJson)],
        seen: &mut Vec<ToolId>,
    ) -> Result<(), StoreError> {
        let new = listed.iter().filter(|(tool, ..)| self.pin_of(tool).is_none());
        let new: Vec<_> = new.map(|(tool, _, definition)| first_pin(tool.clone(), definition)).collect();
        if new.is_empty() {
            return Ok(());
        }
        seen.extend(self.0.store.pin(new).await?);
        self.reload().await
    }

    /// Notes the definition that a server lists for the tool of a row. Returns whether the definition has changed and was not noted before.
    async fn note(
        &self,
        mut before: PinnedDefinition,
        listed: DefinitionText,
        on_change: OnChange,
        occasion: Occasion,
    ) -> Result<bool, DecisionError> {
        for _ in 0..TRIES {
            let after = noted_row(&before, &listed, on_change);
            if after == before || (occasion == Occasion::Reload && before.change.is_some()) {
                return Ok(false);
            }
            let known = before.change.as_ref().is_some_and(|change| change.listed.hash == listed.hash);
            let is_new = !known && before.accepted.hash != listed.hash && occasion == Occasion::Listing;
            let event = is_new.then(|| {
                let diff = DefinitionDiff::between(&before.accepted, &listed);
                warn(&before.tool, on_change, &diff);
                let (sink, event) = (self.0.sink.clone(), changed_event(&before, &listed, on_change, &diff));
                Box::pin(async move { sink.record(event.finish()).await }) as super::RecordFuture
            });
            if self.0.store.replace(&before, after, event).await? {
                return Ok(is_new);
            }
            let Some(now) = self.rows_by_tool().await?.remove(&before.tool) else { return Ok(false) };
            before = now;
        }
        Err(StoreError::new(format!("the pin of {} keeps changing", before.tool)).into())
    }
}

/// Returns whether a listed definition needs no change of its row.
fn noted(pin: Pin, hash: DefinitionHash, on_change: OnChange, occasion: Occasion) -> bool {
    match pin {
        Pin::Unreadable => true,
        // Kernels with different versions of a server would replace each other's pins endlessly.
        Pin::Read { .. } if occasion == Occasion::Reload && on_change == OnChange::Allow => true,
        Pin::Read { accepted, listed: None, .. } => accepted == hash,
        Pin::Read { listed: Some(listed), held, .. } => {
            let stays =
                listed == hash && on_change != OnChange::Allow && held == (on_change == OnChange::Hold);
            occasion == Occasion::Reload || stays
        }
    }
}

fn first_pin(tool: ToolId, definition: &RawJson) -> PinnedDefinition {
    let accepted = DefinitionText::of(definition);
    PinnedDefinition { tool, accepted, accepted_at: Timestamp::now(), accepted_by: None, change: None }
}

/// Returns the row of a tool whose server lists this definition.
fn noted_row(before: &PinnedDefinition, listed: &DefinitionText, on_change: OnChange) -> PinnedDefinition {
    let mut after = PinnedDefinition { change: None, ..before.clone() };
    if before.accepted.hash == listed.hash {
        after.accepted = listed.clone();
        return after;
    }
    if on_change == OnChange::Allow {
        after.accepted = listed.clone();
        (after.accepted_at, after.accepted_by) = (Timestamp::now(), None);
        return after;
    }
    let known = before.change.as_ref().filter(|change| change.listed.hash == listed.hash);
    after.change = Some(ChangedDefinition {
        listed: listed.clone(),
        listed_at: known.map_or_else(Timestamp::now, |change| change.listed_at),
        held: on_change == OnChange::Hold,
    });
    after
}

fn changed_event(
    before: &PinnedDefinition,
    listed: &DefinitionText,
    on_change: OnChange,
    diff: &DefinitionDiff,
) -> EventDraft {
    let kernel = Principal::new("kernel", ActorType::Kernel, false);
    let held = on_change == OnChange::Hold;
    let named = &diff.differences[..diff.differences.len().min(MAX_NAMED)];
    let versions = version_check(&before.accepted, listed, diff);
    EventDraft::new(AuditEventType::from(TOOL_CHANGED), &kernel)
        .server(&before.tool.server_id)
        .tool(&before.tool.tool_name)
        .result(if held { AuditResult::Blocked } else { AuditResult::Success })
        .detail("from_sha256", &before.accepted.hash.to_string())
        .detail("to_sha256", &listed.hash.to_string())
        .detail("breaking", &diff.is_breaking())
        .detail("version_says_so", &versions.is_said())
        .detail("compared", &diff.compared)
        .detail("changes", &named.iter().map(Difference::without_values).collect::<Vec<_>>())
        .detail("change_count", &diff.differences.len())
        .detail("on_change", &on_change)
}

fn warn(tool: &ToolId, on_change: OnChange, diff: &DefinitionDiff) {
    if on_change != OnChange::Allow {
        tracing::warn!(
            %tool, breaking = diff.is_breaking(), held = on_change == OnChange::Hold,
            "the definition of a tool changed: see `mgp tools diff`"
        );
    }
}
