//! The handle to the pins.

use super::{
    DefinitionStore, DefinitionText, PinnedDefinition, StoreError, UnreadablePin,
    pins::{Pin, Pins},
};
use crate::{
    audit::{AuditSink, ChangeError, EventDraft, record_change},
    refusals::{admin, internal},
    stored_rows::log_unreadable,
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_store::follow::{SnapshotOwner, follow};
use mgp_types::{
    audit::AuditEventType,
    context::{Principal, ToolId},
    error::ErrorCode,
    json::RawJson,
    rpc::ErrorObject,
    tool_security::OnChange,
};
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::sync::{Mutex, watch};

/// The type of the event that records that an operator accepted a definition.
const ACCEPTED: &str = "dev.cloto.mgp.DEFINITION_ACCEPTED";
/// The type of the event that records that pins were removed.
const FORGOTTEN: &str = "dev.cloto.mgp.DEFINITION_FORGOTTEN";

/// A handle to the pins of tools' definitions. Decisions are made in memory; clones share the same pins.
///
/// A definition is pinned when a kernel first reads it, before the tool is offered to anybody. Later definitions are compared with the
/// pin.
#[derive(Debug, Clone)]
pub struct Definitions(pub(super) Arc<DefinitionCore>);

pub(super) struct DefinitionCore {
    pub(super) store: Arc<dyn DefinitionStore>,
    pub(super) sink: Arc<dyn AuditSink>,
    pins: ArcSwap<Pins>,
    /// The reactions to changes, by server.
    servers: ArcSwap<HashMap<Box<str>, OnChange>>,
    /// Notified when the pins in memory have changed.
    changed: watch::Sender<()>,
    /// Held while the pins are read and put in place, so that an older version never replaces a newer one.
    reloading: Mutex<()>,
}

impl SnapshotOwner for DefinitionCore {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let pins = Arc::new(Pins::new(self.store.load().await?));
        let before = self.pins.swap(pins.clone());
        log_unreadable(before.unreadable(), pins.unreadable());
        if !before.decides_as(&pins) {
            self.changed.send_replace(());
        }
        Ok(())
    }
}

impl Definitions {
    /// Reads the pins, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if the pins cannot be read.
    pub async fn open(store: Arc<dyn DefinitionStore>, sink: Arc<dyn AuditSink>) -> Result<Self, StoreError> {
        let core = Arc::new(DefinitionCore {
            store,
            sink,
            pins: ArcSwap::default(),
            servers: ArcSwap::default(),
            changed: watch::Sender::new(()),
            reloading: Mutex::new(()),
        });
        core.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&core)));
        Ok(Self(core))
    }

    /// Returns a receiver that is notified whenever pins have changed, including changes by another process.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Reads every pin, by server and tool, except those that [cannot be read](Self::unreadable).
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn rows(&self) -> Result<Vec<PinnedDefinition>, StoreError> {
        let mut rows = self.0.store.load().await?.rows;
        rows.sort_by(|a, b| a.tool.cmp(&b.tool));
        Ok(rows)
    }

    /// Reads the pins of the tools whose servers list another definition, by server and tool.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn changed_rows(&self) -> Result<Vec<PinnedDefinition>, StoreError> {
        let mut rows = self.0.store.load_changed().await?.rows;
        rows.sort_by(|a, b| a.tool.cmp(&b.tool));
        Ok(rows)
    }

    /// Returns the pins that cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Vec<UnreadablePin> {
        self.0.pins.load().unreadable().to_vec()
    }

    /// Pins the definition that a tool's server lists at present, instead of the pinned one. The pin holds when this method returns.
    /// Returns the previous row.
    ///
    /// # Errors
    /// 1000 without the admin role, 4001 for a tool whose definition has not changed, -32603 if the pin cannot be stored or audited.
    pub async fn accept(&self, tool: &ToolId, by: &Principal) -> Result<PinnedDefinition, ErrorObject> {
        self.accept_hash(tool, "", by).await
    }

    /// Pins the definition that a tool's server lists, as [`accept`](Self::accept) does, if its hash begins with these hexadecimal digits.
    /// Without a hash, the server may list another definition than the one that was reviewed.
    ///
    /// # Errors
    /// Those of [`accept`](Self::accept), and -32602 if the server lists a definition with another hash.
    pub async fn accept_hash(
        &self,
        tool: &ToolId,
        digits: &str,
        by: &Principal,
    ) -> Result<PinnedDefinition, ErrorObject> {
        admin(by)?;
        let rows = self.rows().await.map_err(internal)?;
        let Some(before) = rows.into_iter().find(|row| row.tool == *tool) else {
            return Err(unknown(tool, "has no pinned definition"));
        };
        let Some(change) = before.change.clone() else {
            return Err(accepted_already(&before));
        };
        let listed = change.listed.hash.to_string();
        if !listed.starts_with(digits) {
            return Err(ErrorObject::invalid_params(format!(
                "the server now lists another definition of {tool}: expected one whose hash begins with {digits:?}, found {listed}; look at \
                 it with `mgp tools diff`"
            )));
        }
        let after = PinnedDefinition {
            tool: tool.clone(),
            accepted: change.listed,
            accepted_at: Timestamp::now(),
            accepted_by: Some(by.id().to_owned()),
            change: None,
        };
        let event = EventDraft::new(AuditEventType::from(ACCEPTED), by)
            .server(&tool.server_id)
            .tool(&tool.tool_name)
            .detail("from_sha256", &before.accepted.hash.to_string())
            .detail("to_sha256", &after.accepted.hash.to_string());
        let replace = async {
            match self.0.store.replace(&before, after, None).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(self.moved(tool).await),
                Err(error) => Err(internal(error)),
            }
        };
        self.recorded(event, replace).await?;
        Ok(before)
    }

    /// Returns the error of a definition that another process changed while it was accepted.
    async fn moved(&self, tool: &ToolId) -> ErrorObject {
        let rows = self.rows().await.unwrap_or_default();
        match rows.iter().find(|row| row.tool == *tool && row.change.is_none()) {
            Some(row) => accepted_already(row),
            None => internal("the definition changed again: review it again"),
        }
    }

    /// Removes the pins of a server, or that of one of its tools. The next list of the server is pinned anew. Returns the number of pins
    /// that were removed.
    ///
    /// # Errors
    /// 1000 without the admin role, -32603 if the pins cannot be removed or their removal cannot be audited.
    pub async fn forget(
        &self,
        server_id: &str,
        tool_name: Option<&str>,
        by: &Principal,
    ) -> Result<usize, ErrorObject> {
        admin(by)?;
        let is_meant = |tool: &ToolId| {
            *tool.server_id == *server_id && tool_name.is_none_or(|name| *tool.tool_name == *name)
        };
        let rows = self.0.store.load().await.map_err(internal)?;
        let readable = rows.rows.iter().map(|row| &row.tool);
        if !readable.chain(rows.unreadable.iter().map(|row| &row.tool)).any(is_meant) {
            return Ok(0);
        }
        let event = EventDraft::new(AuditEventType::from(FORGOTTEN), by).server(server_id);
        let event = tool_name.into_iter().fold(event, EventDraft::tool);
        let remove = async { self.0.store.remove(server_id, tool_name).await.map_err(internal) };
        self.recorded(event, remove).await
    }

    /// Makes a change together with its events, and puts it in force.
    async fn recorded<T>(
        &self,
        event: EventDraft,
        change: impl Future<Output = Result<T, ErrorObject>>,
    ) -> Result<T, ErrorObject> {
        let change = async {
            let made = change.await?;
            self.0.reload().await.map_err(internal)?;
            Ok(made)
        };
        record_change(&*self.0.sink, event, change).await.map_err(|error| match error {
            ChangeError::Failed(error) => error,
            unrecorded => internal(unrecorded),
        })
    }

    /// Returns the reaction to changes of a server's tools. Changed tools of a server that was not [observed](Self::observe) are held.
    pub(super) fn on_change(&self, server_id: &str) -> OnChange {
        self.0.servers.load().get(server_id).copied().unwrap_or(OnChange::Hold)
    }

    /// Returns whether a tool of a server may be withheld, so that its tools have to be judged individually.
    #[must_use]
    pub fn may_hold(&self, server_id: &str) -> bool {
        self.on_change(server_id) == OnChange::Hold
            || self.0.pins.load().unreadable().iter().any(|pin| *pin.tool.server_id == *server_id)
    }

    /// Accepts the definitions of a server's tools without pins, until [`remove_server`](Self::remove_server). This is for a server whose
    /// definitions come from the kernel itself and disappear with it.
    pub fn accept_unpinned(&self, server_id: &str) {
        self.set_on_change(server_id, OnChange::Allow);
    }

    /// Forgets the reaction to changes of a server's tools. Its pins are kept.
    pub fn remove_server(&self, server_id: &str) {
        self.0.servers.rcu(|servers| {
            let mut servers = HashMap::clone(servers);
            servers.remove(server_id);
            servers
        });
    }

    pub(super) fn set_on_change(&self, server_id: &str, on_change: OnChange) {
        if self.0.servers.load().get(server_id) != Some(&on_change) {
            self.0.servers.rcu(|servers| {
                let mut servers = HashMap::clone(servers);
                servers.insert(server_id.into(), on_change);
                servers
            });
        }
    }

    /// Returns whether a definition states the version that is kept with its pin.
    pub(super) fn has_kept_version(&self, tool: &ToolId, definition: &RawJson) -> bool {
        let pins = self.0.pins.load();
        let kept = pins.version_of(tool);
        match definition.may_hold("version") {
            true => DefinitionText::of(definition).version().as_ref() == kept,
            false => kept.is_none(),
        }
    }

    pub(super) fn pin_of(&self, tool: &ToolId) -> Option<Pin> {
        self.0.pins.load().of(tool)
    }

    pub(super) async fn reload(&self) -> Result<(), StoreError> {
        self.0.reload().await
    }
}

/// Returns the error of a definition without a change, with the operator who accepted it.
fn accepted_already(row: &PinnedDefinition) -> ErrorObject {
    let by = row
        .accepted_by
        .as_deref()
        .map(|by| format!(" by {by:?} at {:.3}", row.accepted_at))
        .unwrap_or_default();
    unknown(&row.tool, &format!("has the definition that was accepted{by}"))
}

fn unknown(tool: &ToolId, problem: &str) -> ErrorObject {
    ErrorCode::ToolNotFound
        .error(format!("tool {:?} of server {:?} {problem}", &*tool.tool_name, &*tool.server_id))
}

impl fmt::Debug for DefinitionCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DefinitionCore").field("store", &self.store).finish_non_exhaustive()
    }
}
