//! Which task is whose.

use super::form::Form;
use super::known::{Known, NewTask};
use crate::kernel::server::Server;
use mgp_types::{context::Principal, error::ErrorCode, rpc::ErrorObject};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How many tasks are known at once, over all principals.
const MOST: usize = 8192;
/// How many of one principal.
const MOST_OF_ONE: usize = 512;
/// How many bytes of results the kernel keeps itself, over all principals.
const MOST_KEPT: usize = 64 * 1024 * 1024;
/// How long a task is known for which nobody says how long it is kept, and the longest for which one is.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// How many tasks of one server it is asked to tell of at once.
const MOST_TOLD: usize = 1024;

/// The tasks that hosts know, by what hosts call them.
#[derive(Debug, Default)]
pub(crate) struct TaskTable(Mutex<HashMap<String, Arc<Known>>>);

impl TaskTable {
    /// Makes a task known. Returns it, with what hosts call it.
    pub(super) fn add(&self, task: NewTask) -> Result<Arc<Known>, ErrorObject> {
        let now = Instant::now();
        let mut tasks = self.lock();
        tasks.retain(|_, known| known.is_known_at(now));
        let of_one = |tasks: &HashMap<_, Arc<Known>>| {
            tasks.values().filter(|known| known.principal.is_same_caller(&task.principal)).count()
        };
        // One that has ended makes room; one that runs stays.
        if of_one(&tasks) >= MOST_OF_ONE {
            forget_oldest_ended(&mut tasks, |known| known.principal.is_same_caller(&task.principal));
        }
        if tasks.len() >= MOST {
            forget_oldest_ended(&mut tasks, |_| true);
        }
        let of_one = of_one(&tasks);
        let kept = || tasks.values().map(|known| known.kept_bytes()).sum::<usize>();
        if tasks.len() >= MOST
            || of_one >= MOST_OF_ONE
            || task.kept_bytes() > 0 && kept() + task.kept_bytes() > MOST_KEPT
        {
            // Its server works on it already.
            return Err(ErrorCode::ResourceExhausted.error_outcome_unknown("too many tasks are known"));
        }
        // 122 random bits: who does not know it cannot guess it.
        let id = uuid::Uuid::new_v4().simple().to_string();
        let until = now + task.lifetime.unwrap_or(LONGEST).min(LONGEST);
        let known = Arc::new(Known::new(id.clone(), until, task));
        tasks.insert(id, known.clone());
        Ok(known)
    }

    /// The task that a principal means.
    pub(in crate::kernel) fn get(&self, id: &str, principal: &Principal) -> Option<Arc<Known>> {
        let now = Instant::now();
        let tasks = self.lock();
        tasks.get(id).filter(|known| known.is_for(principal) && known.is_known_at(now)).cloned()
    }

    /// The tasks of a principal, the oldest first.
    pub(super) fn of(&self, principal: &Principal, form: Form) -> Vec<Arc<Known>> {
        let now = Instant::now();
        let tasks = self.lock();
        let own = tasks
            .values()
            .filter(|known| known.is_for(principal) && known.form == form && known.is_known_at(now));
        let mut own: Vec<_> = own.cloned().collect();
        own.sort_by_key(|known| known.since);
        own
    }

    /// The task that a server calls by this id.
    pub(in crate::kernel) fn at(&self, server: &Arc<Server>, own: &str) -> Option<Arc<Known>> {
        let now = Instant::now();
        let tasks = self.lock();
        let is_it = |known: &&Arc<Known>| {
            !own.is_empty() && known.own == own && known.is_of(server) && known.is_known_at(now)
        };
        tasks.values().find(is_it).cloned()
    }

    /// What a server calls its tasks that hosts want to hear of: the latest, where there are more than it can be asked for.
    pub(in crate::kernel) fn wanted_of(&self, server: &Arc<Server>) -> Vec<String> {
        let now = Instant::now();
        let mut wanted: Vec<_> = {
            let tasks = self.lock();
            let of_it = tasks.values().filter(|known| known.is_of(server) && known.is_known_at(now));
            of_it.filter(|known| known.is_wanted()).cloned().collect()
        };
        wanted.sort_by_key(|known| std::cmp::Reverse(known.since));
        wanted.truncate(MOST_TOLD);
        let mut ids: Vec<_> = wanted.iter().map(|known| known.own.clone()).collect();
        ids.sort_unstable();
        ids
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Known>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the oldest task that has ended, of these.
fn forget_oldest_ended(tasks: &mut HashMap<String, Arc<Known>>, of: impl Fn(&Known) -> bool) {
    let ended = tasks.iter().filter(|(_, known)| of(known) && known.has_ended());
    let oldest = ended.min_by_key(|(_, known)| known.since).map(|(id, _)| id.clone());
    if let Some(oldest) = oldest {
        tasks.remove(&oldest);
    }
}
