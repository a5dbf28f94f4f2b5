//! The questions of a task to its client.

use crate::asking::MOST;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::InputRequest,
    rpc::{Call as RpcCall, ErrorObject},
};
use std::collections::HashMap;

/// The most questions that one task may ask in its life.
const MOST_EVER: usize = 256;

/// The client's answer, or the reason why there is none.
pub(super) type Answer = Result<RawJson, CallError>;

/// The questions of a task to its client, and the client's answers.
#[derive(Debug, Default)]
pub(super) struct Questions {
    asked: Vec<Question>,
    /// The answers. A key identifies one question for the task's whole life.
    answers: HashMap<String, Answer>,
    /// The length of all answers, in bytes.
    bytes: usize,
}

#[derive(Debug)]
struct Question {
    key: String,
    request: InputRequest,
    method: &'static str,
    /// Checks that an answer can be parsed.
    reads: fn(&RawJson) -> Result<(), JsonError>,
    /// The number of futures in the handler that wait for the answer.
    waiting: usize,
    /// True if the question is on its way to the client, as a request.
    sent: bool,
}

/// The error of a task that has asked too many questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany {
    pub(super) limit: usize,
}

impl Questions {
    /// Adds a question, unless it was asked before.
    pub(super) fn ask<C: RpcCall>(&mut self, key: &str, request: InputRequest) -> Result<(), TooMany> {
        if self.answers.contains_key(key) {
            return Ok(());
        }
        if let Some(known) = self.find(key) {
            known.waiting += 1;
            return Ok(());
        }
        if self.asked.len() >= MOST {
            return Err(TooMany { limit: MOST });
        }
        if self.asked.len() + self.answers.len() >= MOST_EVER {
            return Err(TooMany { limit: MOST_EVER });
        }
        let reads = |json: &RawJson| json.decode::<C::Result>().map(drop);
        let (key, method) = (key.to_owned(), C::METHOD);
        self.asked.push(Question { key, request, method, reads, waiting: 1, sent: false });
        Ok(())
    }

    /// Returns the answer to a question.
    pub(super) fn answer(&self, key: &str) -> Option<&Answer> {
        self.answers.get(key)
    }

    /// Removes one waiter for an answer. A question without waiters is withdrawn.
    pub(super) fn forget(&mut self, key: &str) {
        if let Some(known) = self.find(key) {
            known.waiting -= 1;
            self.asked.retain(|question| question.waiting > 0);
        }
    }

    /// Returns the questions without an answer, in the form for clients.
    pub(super) fn outstanding(&self) -> Option<RawObject> {
        let shown = self.asked.iter().map(|question| (&*question.key, question.request.to_json()));
        let mut all = RawObject::new();
        for (key, request) in shown {
            all.insert_named(key, request);
        }
        (!all.is_empty()).then_some(all)
    }

    /// Stores answers. Answers to unknown questions are ignored. If an answer cannot be read, none is stored.
    pub(super) fn take(&mut self, answers: &RawObject, most_bytes: usize) -> Result<(), ErrorObject> {
        let mut taken = Vec::new();
        let mut bytes = self.bytes;
        for (key, answer) in answers.iter() {
            let Some(question) = self.asked.iter().find(|question| question.key == key) else { continue };
            (question.reads)(answer).map_err(|error| {
                ErrorObject::invalid_params(format!("invalid params: inputResponses[{key:?}]: {error}"))
            })?;
            bytes += answer.as_bytes().len();
            taken.push((key, answer));
        }
        if bytes > most_bytes {
            let problem =
                format!("expected at most {most_bytes} bytes for all questions of the task, found {bytes}");
            return Err(ErrorObject::invalid_params(format!("invalid params: inputResponses: {problem}")));
        }
        self.bytes = bytes;
        for (key, answer) in taken {
            self.settle(key, Ok(answer.clone()));
        }
        Ok(())
    }

    /// Returns a question that has not been sent to the client yet, and marks it as sent.
    pub(super) fn send(&mut self) -> Option<(String, InputRequest)> {
        let question = self.asked.iter_mut().find(|question| !question.sent)?;
        question.sent = true;
        Some((question.key.clone(), question.request.clone()))
    }

    /// Marks a question as unsent, if it did not reach the client, or if the answer did not arrive.
    pub(super) fn unsend(&mut self, key: &str) {
        if let Some(question) = self.find(key) {
            question.sent = false;
        }
    }

    /// Stores the client's answer to a question that was sent.
    pub(super) fn answered(&mut self, key: &str, answer: Answer, most_bytes: usize) {
        let Some(question) = self.find(key) else { return };
        let (reads, method) = (question.reads, question.method);
        let answer = answer.and_then(|json| match reads(&json) {
            Ok(()) if self.bytes + json.as_bytes().len() <= most_bytes => Ok(json),
            Ok(()) => Err(CallError::Unreadable(format!("expected at most {most_bytes} bytes"))),
            Err(error) => Err(CallError::Result { method, error }),
        });
        self.bytes += answer.as_ref().map_or(0, |json| json.as_bytes().len());
        self.settle(key, answer);
    }

    fn settle(&mut self, key: &str, answer: Answer) {
        self.asked.retain(|question| question.key != key);
        self.answers.insert(key.to_owned(), answer);
    }

    fn find(&mut self, key: &str) -> Option<&mut Question> {
        self.asked.iter_mut().find(|question| question.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{mcp::ListRoots, rpc::Empty};

    fn asking(keys: &[&str]) -> Questions {
        let mut questions = Questions::default();
        for key in keys {
            ask(&mut questions, key).unwrap();
        }
        questions
    }

    fn ask(questions: &mut Questions, key: &str) -> Result<(), TooMany> {
        questions.ask::<ListRoots>(key, InputRequest::new::<ListRoots>(&Empty::default()).unwrap())
    }

    fn answers(text: &str) -> RawObject {
        RawObject::parse(text.to_owned()).unwrap()
    }

    fn keys(questions: &Questions) -> Vec<String> {
        questions.outstanding().unwrap_or_default().iter().map(|(key, _)| key.to_owned()).collect()
    }

    #[test]
    fn partial_answers_keep_the_other_questions_open() {
        let mut questions = asking(&["a", "b"]);
        questions.take(&answers(r#"{"a":{"roots":[]},"z":{"ignored":true}}"#), 99).unwrap();
        assert_eq!(keys(&questions), ["b"]);
        assert!(questions.answer("a").unwrap().is_ok() && questions.answer("z").is_none());
        questions.take(&answers(r#"{"a":{"roots":[{"uri":"a:1"}]}}"#), 99).unwrap();
        assert_eq!(questions.answer("a").unwrap().as_ref().unwrap().as_str(), r#"{"roots":[]}"#);
    }

    #[test]
    fn an_answered_key_is_never_asked_again() {
        let mut questions = asking(&["a"]);
        questions.take(&answers(r#"{"a":{"roots":[]}}"#), 99).unwrap();
        ask(&mut questions, "a").unwrap();
        assert_eq!(keys(&questions), [""; 0]);
    }

    #[test]
    fn one_unreadable_answer_or_excess_length_refuses_them_all() {
        let mut questions = asking(&["a", "b"]);
        let error = questions.take(&answers(r#"{"a":{"roots":[]},"b":7}"#), 99).unwrap_err();
        assert!(error.code == -32602 && error.message.contains(r#"inputResponses["b"]"#), "{error}");
        let error = questions.take(&answers(r#"{"a":{"roots":[]}}"#), 5).unwrap_err();
        assert!(error.message.contains("at most 5 bytes"), "{error}");
        assert_eq!(keys(&questions), ["a", "b"]);
    }

    #[test]
    fn a_question_is_withdrawn_with_its_last_waiter() {
        let mut questions = asking(&["a", "a"]);
        questions.forget("a");
        assert_eq!(keys(&questions), ["a"]);
        questions.forget("a");
        assert_eq!(questions.outstanding(), None);
    }

    #[test]
    fn a_question_is_sent_once_unless_it_gets_lost() {
        let mut questions = asking(&["a"]);
        assert_eq!(questions.send().unwrap().0, "a");
        assert!(questions.send().is_none());
        questions.unsend("a");
        assert!(questions.send().is_some());
        questions.answered("a", Ok(RawJson::parse("7").unwrap()), 99);
        assert!(matches!(questions.answer("a"), Some(Err(CallError::Result { method: "roots/list", .. }))));
    }

    #[test]
    fn questions_are_bounded_at_once_and_over_a_task_s_life() {
        let mut questions = Questions::default();
        for round in 0..MOST_EVER / MOST {
            let said: Vec<_> = (0..MOST).map(|number| format!("{round}.{number}")).collect();
            said.iter().for_each(|key| ask(&mut questions, key).unwrap());
            assert!(ask(&mut questions, "one more").is_err());
            said.iter().for_each(|key| questions.settle(key, Ok(RawJson::empty_object())));
        }
        assert_eq!(ask(&mut questions, "last"), Err(TooMany { limit: MOST_EVER }));
    }
}
