//! A store that keeps tasks in memory.

use super::{StoredTask, TaskLimits, TaskOwner, TaskStore, TaskStoreError};
use futures_util::{
    FutureExt,
    future::{BoxFuture, ready},
};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::HashMap;

/// A store that keeps tasks in memory: the tasks end with the process.
#[derive(Debug)]
pub struct MemoryTaskStore {
    limits: TaskLimits,
    kept: Mutex<HashMap<String, StoredTask>>,
}

impl MemoryTaskStore {
    /// Creates a store that keeps as many tasks as the limits allow.
    #[must_use]
    pub fn new(limits: TaskLimits) -> Self {
        Self { limits, kept: Mutex::default() }
    }

    fn add(&self, task: StoredTask) -> Result<(), TaskStoreError> {
        let TaskLimits { tasks, tasks_per_principal, .. } = self.limits;
        let mut kept = self.kept.lock();
        if kept.len() >= tasks {
            return Err(TaskStoreError::Full { what: "tasks in all", limit: tasks });
        }
        let same = kept.values().filter(|other| other.owner.is_same_principal(&task.owner));
        if same.count() >= tasks_per_principal {
            return Err(TaskStoreError::Full { what: "tasks of one caller", limit: tasks_per_principal });
        }
        kept.insert(task.id.clone(), task);
        Ok(())
    }

    fn replace(&self, task: StoredTask) {
        if let Some(known) = self.kept.lock().get_mut(&task.id).filter(|known| !known.state.has_ended()) {
            *known = task;
        }
    }
}

impl TaskStore for MemoryTaskStore {
    fn create(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        ready(self.add(task)).boxed()
    }

    fn update(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        self.replace(task);
        ready(Ok(())).boxed()
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredTask>, TaskStoreError>> {
        ready(Ok(self.kept.lock().get(id).cloned())).boxed()
    }

    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<(Timestamp, &'a str)>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredTask>, TaskStoreError>> {
        let mut found: Vec<StoredTask> = {
            let kept = self.kept.lock();
            let later = |task: &&StoredTask| after.is_none_or(|after| (task.created, &*task.id) > after);
            kept.values().filter(|task| owner.sees(&task.owner)).filter(later).cloned().collect()
        };
        found.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        found.truncate(most);
        ready(Ok(found)).boxed()
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        self.kept.lock().remove(id);
        ready(Ok(())).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskState;
    use mgp_types::json::RawJson;
    use std::time::Duration;

    fn task(id: &str, principal: Option<&str>, session: &str) -> StoredTask {
        StoredTask {
            id: id.into(),
            owner: TaskOwner { principal: principal.map(str::to_owned), session: session.into() },
            tool: "t".into(),
            state: TaskState::Working,
            message: None,
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
            ttl: Duration::from_secs(1),
            poll_interval: Duration::ZERO,
        }
    }

    fn store(tasks: usize, tasks_per_principal: usize) -> MemoryTaskStore {
        MemoryTaskStore::new(TaskLimits { tasks, tasks_per_principal, ..TaskLimits::default() })
    }

    #[test]
    fn tasks_are_bounded_per_principal_and_in_total() {
        let store = store(3, 2);
        let refused = |task| store.add(task).unwrap_err().to_string();
        store.add(task("1", Some("a"), "s")).unwrap();
        store.add(task("2", Some("a"), "other")).unwrap();
        assert!(refused(task("3", Some("a"), "s")).contains("2 tasks of one caller"));
        store.add(task("4", None, "s")).unwrap();
        assert!(refused(task("5", Some("b"), "s")).contains("3 tasks in all"));
        store.remove("1").now_or_never().unwrap().unwrap();
        store.add(task("6", Some("a"), "s")).unwrap();
    }

    #[test]
    fn an_ended_task_stays_unchanged_and_a_removed_one_stays_away() {
        let store = store(9, 9);
        let now = |id: &str| store.get(id).now_or_never().unwrap().unwrap().map(|task| task.state);
        let answered = TaskState::Answered { result: RawJson::empty_object(), failed: false };
        store.add(task("1", None, "s")).unwrap();
        store.replace(StoredTask { state: answered.clone(), ..task("1", None, "s") });
        store.replace(StoredTask { state: TaskState::Cancelled, ..task("1", None, "s") });
        assert_eq!(now("1"), Some(answered.clone()));
        store.replace(StoredTask { state: answered, ..task("2", None, "s") });
        assert_eq!(now("2"), None);
    }

    #[test]
    fn a_list_shows_only_tasks_of_the_principal_or_session() {
        let store = store(9, 9);
        for (id, principal, session) in [
            ("1", Some("a"), "s"),
            ("2", Some("a"), "z"),
            ("3", Some("b"), "s"),
            ("4", None, "s"),
            ("5", None, "z"),
        ] {
            store.add(task(id, principal, session)).unwrap();
        }
        let seen = |principal: Option<&str>, after: Option<&str>, most| {
            let owner = TaskOwner { principal: principal.map(str::to_owned), session: "s".into() };
            let after = after.map(|id| (Timestamp::UNIX_EPOCH, id));
            let list = store.list(&owner, after, most).now_or_never().unwrap().unwrap();
            list.into_iter().map(|task| task.id).collect::<Vec<_>>()
        };
        assert_eq!(seen(Some("a"), None, 9), ["1", "2"]);
        assert_eq!(seen(Some("a"), None, 1), ["1"]);
        assert_eq!(seen(Some("a"), Some("1"), 9), ["2"]);
        assert_eq!(seen(None, None, 9), ["4"]);
    }
}
