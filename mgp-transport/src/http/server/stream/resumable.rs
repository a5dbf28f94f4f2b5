//! The streams of a session that a client may reconnect to.

use super::Queue;
use crate::http::server::ResumeConfig;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};
use tokio::time::Instant;

/// The streams of requests by number: those in progress, and the last finished ones.
#[derive(Debug, Default)]
pub(super) struct ResumableStreams {
    streams: HashMap<u64, Arc<Queue>>,
    over: VecDeque<(Instant, u64)>,
    /// The number of the last stream that was opened. The session's own has 0.
    last: u64,
}

impl ResumableStreams {
    /// Returns the number of a new stream.
    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn add(&mut self, queue: Arc<Queue>) {
        self.streams.insert(queue.number(), queue);
    }

    pub(super) fn find(&self, number: u64) -> Option<Arc<Queue>> {
        self.streams.get(&number).cloned()
    }

    /// Returns the streams that have their last answer.
    pub(super) fn finished(&self) -> Vec<Arc<Queue>> {
        self.over.iter().filter_map(|(_, number)| self.streams.get(number).cloned()).collect()
    }

    /// Returns `true` if a stream with the number existed.
    pub(super) fn was(&self, number: u64) -> bool {
        number <= self.last
    }

    /// Records that a stream has its last answer. The stream is kept for a while if its client may reconnect.
    pub(super) fn over(&mut self, queue: &Queue, config: &ResumeConfig) {
        if !queue.is_resumable() {
            self.streams.remove(&queue.number());
            return;
        }
        self.over.push_back((Instant::now(), queue.number()));
        self.forget_old(config);
    }

    /// Drops streams that were kept for too long. Also drops the oldest ones if there are too many, or if they hold too many
    /// bytes.
    pub(super) fn forget_old(&mut self, config: &ResumeConfig) {
        let mut bytes: usize =
            self.over.iter().filter_map(|(_, number)| Some(self.streams.get(number)?.bytes())).sum();
        while let Some((since, number)) = self.over.front().copied() {
            let too_much = self.over.len() > config.answers || bytes > config.answer_bytes;
            if !too_much && since.elapsed() < config.timeout {
                return;
            }
            self.over.pop_front();
            if let Some(queue) = self.streams.remove(&number) {
                bytes = bytes.saturating_sub(queue.bytes());
            }
        }
    }
}
