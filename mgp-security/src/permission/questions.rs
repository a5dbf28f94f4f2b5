//! The open questions: one for each server and permission, however many calls wait for it.
//!
//! A question is asked for the first of these calls. If that does not reach a person, the question is also asked for the next call
//! that does, one call at a time.

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

/// The open questions.
#[derive(Debug, Clone, Default)]
pub(super) struct Questions(Arc<Mutex<HashMap<Key, Question>>>);

/// A question, which ends when its sender is dropped.
#[derive(Debug)]
struct Question {
    over: watch::Sender<()>,
    /// The number of calls for which it is being asked.
    asked: usize,
    /// True while a person is asked.
    has_person: bool,
}

/// A call's wait for a question.
#[derive(Debug)]
pub(super) struct Ticket {
    over: watch::Receiver<()>,
    /// The question as asked for this call; `None` if it is not asked for this call.
    pub(super) open: Option<OpenQuestion>,
}

/// A question that is being asked. It ends when its last value is dropped, however the asking ended.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    questions: Questions,
    key: Key,
    to_person: bool,
}

impl Questions {
    /// Joins a question, or opens it. `to_person` is true if the question of this call goes to a person. Returns `None` if too many
    /// questions are open, or too many calls wait for this one.
    pub(super) fn join(&self, key: &Key, to_person: bool) -> Option<Ticket> {
        let mut questions = self.0.lock();
        let open = || OpenQuestion { questions: self.clone(), key: key.clone(), to_person };
        if let Some(question) = questions.get_mut(key) {
            if question.over.receiver_count() >= MAX_WAITING {
                return None;
            }
            let is_asked = to_person && !question.has_person;
            if is_asked {
                question.asked += 1;
                question.has_person = true;
            }
            return Some(Ticket { over: question.over.subscribe(), open: is_asked.then(open) });
        }
        if questions.len() >= MAX_OPEN {
            return None;
        }
        let (sender, over) = watch::channel(());
        questions.insert(key.clone(), Question { over: sender, asked: 1, has_person: to_person });
        Some(Ticket { over, open: Some(open()) })
    }
}

impl Ticket {
    /// Waits until the question has ended.
    pub(super) async fn over(&mut self) {
        while self.over.changed().await.is_ok() {}
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let mut questions = self.questions.0.lock();
        let Some(question) = questions.get_mut(&self.key) else { return };
        question.asked -= 1;
        question.has_person &= !self.to_person;
        if question.asked == 0 {
            questions.remove(&self.key);
        }
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
    async fn the_first_caller_asks_and_all_share_the_answer() {
        let questions = Questions::default();
        for (first, second) in [(false, false), (true, true), (true, false)] {
            let mut first = questions.join(&key(1), first).unwrap();
            let mut second = questions.join(&key(1), second).unwrap();
            assert!(first.open.is_some() && second.open.is_none());
            drop(first.open.take());
            first.over().await;
            second.over().await;
            assert!(questions.join(&key(1), false).unwrap().open.is_some());
        }
    }

    #[tokio::test]
    async fn a_person_and_an_operator_are_asked_together() {
        let questions = Questions::default();
        let mut operator = questions.join(&key(1), false).unwrap();
        let mut person = questions.join(&key(1), true).unwrap();
        assert!(operator.open.is_some() && person.open.is_some());
        assert!(questions.join(&key(1), true).unwrap().open.is_none(), "one person is asked at a time");
        drop(person.open.take());
        let mut again = questions.join(&key(1), true).unwrap();
        assert!(again.open.is_some(), "the first one is no longer asked");
        drop(operator.open.take());
        assert!(operator.over.has_changed().is_ok() && questions.0.lock().len() == 1);
        drop(again.open.take());
        for ticket in [&mut operator, &mut person, &mut again] {
            ticket.over().await;
        }
    }

    #[test]
    fn open_questions_and_waiters_are_bounded() {
        let questions = Questions::default();
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| questions.join(&key(0), false).unwrap()).collect();
        assert!(questions.join(&key(0), true).is_none());
        let open: Vec<_> = (1..MAX_OPEN).map(|server| questions.join(&key(server), false).unwrap()).collect();
        assert!(questions.join(&key(MAX_OPEN), false).is_none());
        drop((waiting, open));
        assert!(questions.join(&key(MAX_OPEN), false).is_some());
    }
}
