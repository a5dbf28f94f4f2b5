//! The record of all lines, in the order in which they went over the wire.

use super::{
    line::{Direction, Line},
    tee::Tee,
};
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;

/// The maximum number of lines kept. The tour has a few hundred.
const MAX_LINES: usize = 10_000;

/// The record of all lines, in the order in which they went over the wire. Clones share the same record.
#[derive(Debug, Clone, Default)]
pub(in crate::demo) struct Wire {
    lines: Arc<Mutex<Vec<Line>>>,
    /// Held while a line is forwarded and recorded, so that no answer is recorded before its request.
    pub(super) turn: Arc<Mutex<()>>,
}

impl Wire {
    /// Wraps two streams so that every line that goes through them is recorded.
    pub(in crate::demo) fn tap<R, W>(&self, (input, output): (R, W)) -> (Tee<R>, Tee<W>) {
        (Tee::new(input, self.clone(), Direction::Received), Tee::new(output, self.clone(), Direction::Sent))
    }

    /// Returns the number of lines, which is the index of the next one.
    pub(in crate::demo) fn mark(&self) -> usize {
        self.lines.lock().len()
    }

    /// Returns the lines from a mark on.
    pub(in crate::demo) fn since(&self, mark: usize) -> Vec<Line> {
        self.lines.lock().get(mark..).unwrap_or_default().to_vec()
    }

    pub(super) fn record(&self, direction: Direction, bytes: &[u8]) {
        let mut lines = self.lines.lock();
        if lines.len() < MAX_LINES {
            lines.push(Line { direction, text: String::from_utf8_lossy(bytes).into_owned() });
        }
    }
}

/// Returns the first of the messages in `lines` that was sent with a method.
pub(in crate::demo) fn sent(lines: &[Line], method: &str) -> Option<Value> {
    messages(lines, Direction::Sent).find(|message| message["method"] == method)
}

/// Returns the answers to the requests that were sent with a method, including errors, in the order of arrival.
pub(in crate::demo) fn answers(lines: &[Line], method: &str) -> Vec<Value> {
    let asked: Vec<_> = messages(lines, Direction::Sent)
        .filter(|message| message["method"] == method)
        .map(|message| message["id"].clone())
        .collect();
    let received = messages(lines, Direction::Received);
    received.filter(|message| message.get("method").is_none() && asked.contains(&message["id"])).collect()
}

/// Returns the messages that were received with a method.
pub(in crate::demo) fn received(lines: &[Line], method: &str) -> Vec<Value> {
    messages(lines, Direction::Received).filter(|message| message["method"] == method).collect()
}

fn messages(lines: &[Line], direction: Direction) -> impl Iterator<Item = Value> {
    lines.iter().filter(move |line| line.direction == direction).map(Line::message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_the_request_of_its_side_with_its_id() {
        let wire = Wire::default();
        for (direction, text) in [
            (Direction::Sent, r#"{"id":1,"method":"a"}"#),
            (Direction::Received, r#"{"id":1,"method":"asked"}"#),
            (Direction::Sent, r#"{"id":1,"result":"ours"}"#),
            (Direction::Received, r#"{"id":2,"result":"another"}"#),
            (Direction::Received, r#"{"id":1,"result":"theirs"}"#),
        ] {
            wire.record(direction, text.as_bytes());
        }
        let lines = wire.since(0);
        let results: Vec<_> = answers(&lines, "a").iter().map(|answer| answer["result"].clone()).collect();
        assert_eq!(results, ["theirs"]);
        assert_eq!((received(&lines, "asked").len(), received(&lines, "a").len()), (1, 0));
        assert!(sent(&lines, "a").is_some() && sent(&lines, "asked").is_none());
    }
}
