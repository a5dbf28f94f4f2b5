//! Which task is whose.

use crate::kernel::server::Server;
use mgp_transport::seam::Peer;
use mgp_types::{
    context::{Principal, ToolId},
    error::ErrorCode,
    rpc::ErrorObject,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

/// How many tasks are known at once, over all principals.
const MOST: usize = 8192;
/// How many of one principal.
const MOST_OF_ONE: usize = 512;
/// How long a task is known for which nobody says how long it is kept, and the longest for which one is.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// In which of MCP's two forms a task is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Form {
    /// That of revision 2025-11-25.
    Core,
    /// The extension of the stateless revisions.
    Extension,
}

/// Whose task it is, and where.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Known {
    pub(super) principal: Principal,
    pub(super) tool: ToolId,
    pub(super) server: Weak<Server>,
    /// Its id there.
    pub(super) id: String,
    pub(super) form: Form,
    /// The session of the host, where it has one: what the server says of the task goes there.
    pub(super) host: Option<Peer>,
    until: Instant,
}

/// The tasks that hosts know.
#[derive(Debug, Default)]
pub(crate) struct TaskTable(Mutex<HashMap<String, Known>>);

/// A task that is to be known.
#[derive(Debug)]
pub(super) struct NewTask {
    pub(super) principal: Principal,
    pub(super) tool: ToolId,
    pub(super) server: Weak<Server>,
    pub(super) id: String,
    pub(super) form: Form,
    pub(super) host: Option<Peer>,
    /// How long the server keeps it.
    pub(super) lifetime: Option<Duration>,
}

impl TaskTable {
    /// Makes a task known. Returns what hosts call it.
    pub(super) fn add(&self, task: NewTask) -> Result<String, ErrorObject> {
        let now = Instant::now();
        let mut tasks = self.lock();
        tasks.retain(|_, known| known.until > now && known.server.strong_count() > 0);
        let of_one = tasks.values().filter(|known| known.principal == task.principal).count();
        if tasks.len() >= MOST || of_one >= MOST_OF_ONE {
            return Err(ErrorCode::ResourceExhausted.error("too many tasks are known"));
        }
        // 122 random bits: who does not know it cannot guess it.
        let id = uuid::Uuid::new_v4().simple().to_string();
        let NewTask { principal, tool, server, id: own, form, host, lifetime } = task;
        let until = now + lifetime.unwrap_or(LONGEST).min(LONGEST);
        tasks.insert(id.clone(), Known { principal, tool, server, id: own, form, host, until });
        Ok(id)
    }

    /// The task that a principal means.
    pub(super) fn get(&self, id: &str, principal: &Principal) -> Option<Known> {
        let now = Instant::now();
        let tasks = self.lock();
        tasks.get(id).filter(|known| known.principal == *principal && known.until > now).cloned()
    }

    /// The tasks of a principal, with what hosts call them.
    pub(super) fn of(&self, principal: &Principal, form: Form) -> Vec<(String, Known)> {
        let now = Instant::now();
        let tasks = self.lock();
        let own = tasks
            .iter()
            .filter(|(_, known)| known.principal == *principal && known.form == form && known.until > now);
        own.map(|(id, known)| (id.clone(), known.clone())).collect()
    }

    /// What a host calls a server's task, and the host.
    pub(in crate::kernel) fn host_of(&self, server: &Arc<Server>, own: &str) -> Option<(String, Peer)> {
        let tasks = self.lock();
        let found = tasks.iter().find(|(_, known)| {
            known.id == own && known.server.upgrade().is_some_and(|known| Arc::ptr_eq(&known, server))
        });
        found.and_then(|(id, known)| Some((id.clone(), known.host.clone()?)))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
