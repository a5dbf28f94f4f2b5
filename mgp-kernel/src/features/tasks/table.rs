//! The table of tasks and their owners.

use super::KnownTask;
use crate::upstream::Server;
use mgp_types::{context::Principal, error::ErrorCode, mcp::tasks::TaskForm, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, time::Instant};

/// The maximum number of known tasks, over all principals.
const MOST: usize = 8192;
/// The maximum number of tasks of one principal.
const MOST_OF_ONE: usize = 512;
/// The maximum size of results that the kernel keeps itself, over all principals, in bytes.
const MOST_KEPT: usize = 64 * 1024 * 1024;
/// The maximum number of tasks of one server in a subscription.
const MOST_TOLD: usize = 1024;

/// The tasks that hosts know, by the ids for hosts.
#[derive(Debug, Default)]
pub(crate) struct TaskTable(Mutex<HashMap<String, Arc<KnownTask>>>);

impl TaskTable {
    /// Adds a task.
    pub(super) fn add(&self, task: KnownTask) -> Result<Arc<KnownTask>, ErrorObject> {
        let now = Instant::now();
        let mut tasks = self.0.lock();
        tasks.retain(|_, known| known.is_known_at(now));
        let is_same = |known: &KnownTask| known.principal.is_same_caller(&task.principal);
        let of_one = |tasks: &HashMap<_, Arc<KnownTask>>| tasks.values().filter(|it| is_same(it)).count();
        // An ended task makes room; a running one stays.
        if of_one(&tasks) >= MOST_OF_ONE {
            forget_oldest_ended(&mut tasks, is_same);
        }
        if tasks.len() >= MOST {
            forget_oldest_ended(&mut tasks, |_| true);
        }
        let kept = || tasks.values().map(|known| known.kept_bytes()).sum::<usize>();
        if tasks.len() >= MOST
            || of_one(&tasks) >= MOST_OF_ONE
            || task.kept_bytes() > 0 && kept() + task.kept_bytes() > MOST_KEPT
        {
            // The server is already working on it.
            return Err(ErrorCode::ResourceExhausted.error_outcome_unknown("too many tasks are known"));
        }
        let known = Arc::new(task);
        tasks.insert(known.id.clone(), known.clone());
        Ok(known)
    }

    /// Returns the task with an id for a principal.
    pub(crate) fn get(&self, id: &str, principal: &Principal) -> Option<Arc<KnownTask>> {
        let known = self.0.lock().get(id).cloned();
        known.filter(|known| known.is_for(principal) && known.is_known_at(Instant::now()))
    }

    /// Returns the tasks of a principal, oldest first.
    pub(super) fn of(&self, principal: &Principal, form: TaskForm) -> Vec<Arc<KnownTask>> {
        self.known(|known| known.is_for(principal) && known.form == form)
    }

    /// Returns the task with a server's own id.
    pub(crate) fn at(&self, server: &Arc<Server>, own: &str) -> Option<Arc<KnownTask>> {
        self.known(|known| !own.is_empty() && known.own == own && known.is_of(server)).pop()
    }

    /// Returns the server's own ids of the tasks that hosts are subscribed to: the latest, if there are too many for the server.
    pub(crate) fn wanted_of(&self, server: &Arc<Server>) -> Vec<String> {
        let wanted = self.known(|known| known.is_of(server) && known.is_wanted());
        let mut ids: Vec<_> = wanted.iter().rev().take(MOST_TOLD).map(|known| known.own.clone()).collect();
        ids.sort_unstable();
        ids
    }

    /// Returns whether a server is running a task.
    pub(crate) fn runs_at(&self, server: &Arc<Server>) -> bool {
        let (now, tasks) = (Instant::now(), self.0.lock());
        let runs = |known: &KnownTask| !known.own.is_empty() && !known.has_ended() && known.is_of(server);
        tasks.values().any(|known| known.is_known_at(now) && runs(known))
    }

    /// Returns the tasks that `of` accepts, oldest first.
    fn known(&self, of: impl Fn(&KnownTask) -> bool) -> Vec<Arc<KnownTask>> {
        let (now, tasks) = (Instant::now(), self.0.lock());
        let known = tasks.values().filter(|known| known.is_known_at(now) && of(known));
        let mut known: Vec<_> = known.cloned().collect();
        known.sort_by_key(|known| known.since);
        known
    }
}

/// Forgets the oldest ended task among those that `of` accepts.
fn forget_oldest_ended(tasks: &mut HashMap<String, Arc<KnownTask>>, of: impl Fn(&KnownTask) -> bool) {
    let ended = tasks.iter().filter(|(_, known)| of(known) && known.has_ended());
    let oldest = ended.min_by_key(|(_, known)| known.since).map(|(id, _)| id.clone());
    if let Some(oldest) = oldest {
        tasks.remove(&oldest);
    }
}
