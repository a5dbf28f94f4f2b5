//! The open questions: one for each server and permission, however many calls wait for it.

use mgp_types::permission::Permission;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::watch;

/// The most questions that are open at once.
const MAX_OPEN: usize = 256;
/// The most calls that wait for one question.
const MAX_WAITING: usize = 256;

/// The key of a question: a server and a permission.
pub(super) type Key = (Arc<str>, Permission);

/// The open questions. A question is over when its sender is dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Questions(Arc<Mutex<HashMap<Key, watch::Sender<()>>>>);

/// A call's wait for a question.
#[derive(Debug)]
pub(super) struct Ticket {
    over: watch::Receiver<()>,
    /// The open question itself, which only the first call holds.
    pub(super) open: Option<OpenQuestion>,
}

/// An open question. The question is over when this value is dropped, however the asking ended.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    questions: Questions,
    key: Key,
}

impl Questions {
    /// Joins a question, or opens it. Returns `None` if too many questions are open, or too many calls wait for this one.
    pub(super) fn join(&self, key: &Key) -> Option<Ticket> {
        let mut open = self.0.lock();
        if let Some(over) = open.get(key) {
            let room = over.receiver_count() < MAX_WAITING;
            return room.then(|| Ticket { over: over.subscribe(), open: None });
        }
        if open.len() >= MAX_OPEN {
            return None;
        }
        let (sender, over) = watch::channel(());
        open.insert(key.clone(), sender);
        Some(Ticket { over, open: Some(OpenQuestion { questions: self.clone(), key: key.clone() }) })
    }
}

impl Ticket {
    /// Waits until the question is over.
    pub(super) async fn over(mut self) {
        while self.over.changed().await.is_ok() {}
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.questions.0.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::permission::StandardPermission::Camera;

    fn key(server: usize) -> Key {
        (server.to_string().into(), Camera.into())
    }

    #[tokio::test]
    async fn the_first_asks_the_others_join_and_all_end_together() {
        let questions = Questions::default();
        let mut first = questions.join(&key(1)).unwrap();
        let second = questions.join(&key(1)).unwrap();
        assert!(first.open.is_some() && second.open.is_none());
        drop(first.open.take());
        first.over().await;
        second.over().await;
        assert!(questions.join(&key(1)).unwrap().open.is_some());
    }

    #[test]
    fn open_questions_and_those_who_wait_are_bounded() {
        let questions = Questions::default();
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| questions.join(&key(0)).unwrap()).collect();
        assert!(questions.join(&key(0)).is_none());
        let open: Vec<_> = (1..MAX_OPEN).map(|server| questions.join(&key(server)).unwrap()).collect();
        assert!(questions.join(&key(MAX_OPEN)).is_none());
        drop((waiting, open));
        assert!(questions.join(&key(MAX_OPEN)).is_some());
    }
}
