//! Reads the events of a response.

use super::{
    failure,
    sse::{SseEvent, SseParser},
};
use mgp_types::rpc::ErrorObject;
use reqwest::Response;
use std::{collections::VecDeque, time::Duration};

/// The events of a response.
pub(super) struct Events {
    response: Response,
    parser: SseParser,
    waiting: VecDeque<SseEvent>,
    /// The reason why nothing can be read after the waiting events.
    failed: Option<ErrorObject>,
}

impl Events {
    pub(super) fn of(response: Response, max: usize) -> Self {
        Self { response, parser: SseParser::new(max), waiting: VecDeque::new(), failed: None }
    }

    /// Returns the next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<SseEvent>, ErrorObject> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let Some(chunk) = self.response.chunk().await.map_err(failure::of_transport)? else {
                return Ok(None);
            };
            let fed = self.parser.feed(&chunk, &mut self.waiting);
            self.failed = fed.err().map(|error| failure::of_content(error.to_string()));
        }
    }

    /// Returns the id of the last event that had one.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.parser.last_id()
    }

    /// Returns the wait before a reconnection that the server requested.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.parser.retry()
    }
}
