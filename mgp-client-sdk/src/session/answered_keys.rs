//! Prevents questions of a task from being answered twice.

use parking_lot::Mutex;
use std::collections::HashSet;

/// The keys of the questions of a task that are answered, or are being answered.
#[derive(Debug, Default)]
pub struct AnsweredKeys(Mutex<HashSet<String>>);

/// A question that is being answered. Dropping this value releases the question, so that it may be answered later, unless
/// [`answered`](Self::answered) was called.
#[derive(Debug)]
pub struct QuestionGuard<'a> {
    keys: &'a AnsweredKeys,
    key: Option<String>,
}

/// The error of a task that asks too many questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyQuestions;

impl AnsweredKeys {
    /// Claims a question. Returns `None` if the question is answered, or is being answered elsewhere.
    ///
    /// # Errors
    /// If the task has asked `most` other questions before.
    pub fn take(&self, key: &str, most: usize) -> Result<Option<QuestionGuard<'_>>, TooManyQuestions> {
        let mut keys = self.0.lock();
        if keys.contains(key) {
            return Ok(None);
        }
        if keys.len() >= most {
            return Err(TooManyQuestions);
        }
        keys.insert(key.to_owned());
        Ok(Some(QuestionGuard { keys: self, key: Some(key.to_owned()) }))
    }
}

impl QuestionGuard<'_> {
    /// Notes that the server has received the answer.
    pub fn answered(mut self) {
        self.key = None;
    }
}

impl Drop for QuestionGuard<'_> {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.keys.0.lock().remove(key);
        }
    }
}
