//! Reads the response of a server: one message, or a stream of them.

use super::{events::Events, failure, link::Link, lost_session::names_session, pace::Resume, sse::SseEvent};
use crate::{
    codec::batch,
    connection::{Inbox, Route},
    era,
    seam::{Extensions, RelatedRequest},
};
use bytes::Bytes;
use mgp_types::rpc::{ErrorObject, Frame, FrameError, RequestId};
use reqwest::Response;
use std::time::Duration;
use tokio::time::Instant;

/// The time that a stream may stay open after the answer, which is its last message, before its connection is dropped.
const AFTER_ANSWER: Duration = Duration::from_secs(1);

/// The destination of a response's messages, and the request that waits for one of them.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) link: &'a Link,
    pub(super) inbox: &'a Inbox,
    /// The request whose answer ends the exchange.
    pub(super) id: Option<&'a RequestId>,
    /// True if that request opens the session.
    pub(super) opens: bool,
    /// True if the request is one of a stateless revision: all messages on its stream belong to it.
    pub(super) stateless: bool,
    pub(super) answered: bool,
    /// True if the request belongs to a session, which the server may have forgotten.
    is_of_session: bool,
    /// The answer, if it is an error that names the session. It is not passed on.
    pub(super) suspect: Option<ErrorObject>,
    /// True if the answer opened the session.
    pub(super) opened: bool,
}

impl<'a> Answer<'a> {
    pub(super) fn of(
        link: &'a Link,
        inbox: &'a Inbox,
        id: Option<&'a RequestId>,
        opens: bool,
        stateless: bool,
    ) -> Self {
        let is_of_session = id.is_some() && !opens && !stateless && link.has_session();
        let (answered, suspect, opened) = (false, None, false);
        Self { link, inbox, id, opens, stateless, answered, is_of_session, suspect, opened }
    }

    /// Reads a text: one message, or a batch of them. Returns whether a message could be read.
    fn receive(&mut self, text: Bytes) -> Result<bool, FrameError> {
        if batch::is_batch(text.trim_ascii_start()) && era::has_batches(self.inbox.peer().session().get()) {
            let mut has_message = false;
            for frame in batch::read(text, self.link.max_batch)? {
                has_message |= frame.is_ok();
                match frame {
                    Ok(frame) => self.take(frame),
                    Err(error) => self.refuse(error),
                }
            }
            return Ok(has_message);
        }
        self.take(Frame::parse(&text)?);
        Ok(true)
    }

    fn take(&mut self, frame: Frame) {
        if let Frame::Response { id, outcome } = &frame
            && self.is_named(id.as_ref())
        {
            self.answered = true;
            if let Err(error) = outcome
                && self.is_of_session
                && names_session(error)
            {
                self.suspect = Some(error.clone());
                return;
            }
            if let (true, Ok(result)) = (self.opens, outcome) {
                self.opened = true;
                if let Some(version) = era::agreed_version(result) {
                    self.link.keep_version(&version);
                }
            }
        }
        match (frame, self.id.and_then(RequestId::as_i64)) {
            (Frame::Notification { method, params }, Some(id)) if self.stateless => {
                self.inbox.receive_for(id, method, params);
            }
            (frame @ (Frame::Request { .. } | Frame::Notification { .. }), Some(id)) => {
                let mut context = Extensions::new();
                context.insert(RelatedRequest(id));
                self.inbox.receive_with(frame, Route::Session, context);
            }
            (frame, _) => self.inbox.receive(frame, Route::Session),
        }
    }

    /// Returns whether a response with this id answers the request.
    fn is_named(&self, id: Option<&RequestId>) -> bool {
        id.zip(self.id).is_some_and(|(id, request)| id.answers(request))
    }

    /// Refuses a message that cannot be read. A response of that kind ends its call too.
    fn refuse(&mut self, error: FrameError) {
        self.answered |= error.is_response && self.is_named(error.id.as_ref());
        self.inbox.refuse(error, &Route::Session);
    }
}

/// Reads one message.
pub(super) async fn read_json(response: Response, answer: &mut Answer<'_>) -> Result<(), ErrorObject> {
    let text = read(response, answer.link.max_frame).await?;
    answer
        .receive(text.into())
        .map_err(|error| failure::of_content(format!("the server's answer cannot be read: {error}")))?;
    Ok(())
}

/// Reads a stream to its end.
pub(super) async fn read_stream(response: Response, answer: &mut Answer<'_>) -> Resume {
    let mut events = Events::of(response, answer.link.max_frame);
    let (since, mut has_messages, mut over) = (Instant::now(), false, None);
    let error = loop {
        let event = if answer.answered {
            // Reading to the end lets the TCP connection be reused, but is not worth a long wait.
            let over = *over.get_or_insert_with(|| Instant::now() + AFTER_ANSWER);
            tokio::time::timeout_at(over, events.next()).await.unwrap_or(Ok(None))
        } else {
            events.next().await
        };
        match event {
            Ok(Some(event)) => has_messages |= receive(event, answer),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let (last_id, retry) = (events.last_id().map(str::to_owned), events.retry());
    Resume { has_messages, lasted: since.elapsed(), last_id, retry, error }
}

/// Takes an event. Returns `true` if it is a message that could be read.
fn receive(event: SseEvent, answer: &mut Answer<'_>) -> bool {
    // An event without data only carries an id to resume from.
    if event.data.is_empty() || !matches!(&*event.event, "" | "message") {
        return false;
    }
    answer.receive(event.data.into()).unwrap_or_else(|error| {
        answer.refuse(error);
        false
    })
}

async fn read(mut response: Response, max: usize) -> Result<Vec<u8>, ErrorObject> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure::of_transport)? {
        if body.len() + chunk.len() > max {
            return Err(failure::of_content(format!("the server's answer is longer than {max} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
