//! Reads a body: one message, or a batch.

use crate::{
    codec::batch,
    http::server::{
        HttpServerConfig,
        auth::Authority,
        limits::{Bodies, BodyLease, Room},
        refusal::Refusal,
    },
};
use axum::body::{Body, HttpBody};
use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mgp_types::{
    context::Principal,
    json::{RawJson, without_mark},
    rpc::Frame,
};
use std::sync::Arc;

/// The content of a body.
#[derive(Debug)]
pub(in crate::http::server) enum RequestBody {
    /// One message.
    One(Frame),
    /// Several messages, as text: the session decides whether batches are allowed.
    Batch(Bytes),
}

/// The most bytes of a body that are not counted, because the connection's buffer may hold as many anyway.
const UNCOUNTED: usize = 64 * 1024;

/// The reader of bodies, within the limits of one body and of all bodies together.
pub(in crate::http::server) struct BodyReader {
    bodies: Bodies,
    config: Arc<HttpServerConfig>,
    authority: Arc<Authority>,
}

impl BodyReader {
    pub(in crate::http::server) fn new(config: Arc<HttpServerConfig>, authority: Arc<Authority>) -> Self {
        Self { bodies: Bodies::default(), config, authority }
    }

    /// Reads a body within its limits of size and time, and within the limits of all bodies together. A long body comes with its
    /// lease, which belongs to the messages in the body.
    pub(in crate::http::server) async fn read(
        &self,
        principal: &Principal,
        body: Body,
    ) -> Result<(RequestBody, Option<Arc<BodyLease>>), Refusal> {
        let (text, lease) = self.read_text(principal, body).await?;
        let posted = if batch::is_batch(text.trim_ascii_start()) {
            RequestBody::Batch(text)
        } else {
            RequestBody::One(Frame::parse(&text)?)
        };
        Ok((posted, lease.map(Arc::new)))
    }

    /// Reads a body that is one JSON object, as [`read`](Self::read) does. A missing body counts as an empty object.
    pub(in crate::http::server) async fn read_object(
        &self,
        principal: &Principal,
        body: Body,
    ) -> Result<(RawJson, Option<Arc<BodyLease>>), Refusal> {
        let (text, lease) = self.read_text(principal, body).await?;
        let object = match text.trim_ascii().is_empty() {
            true => RawJson::empty_object(),
            false => RawJson::parse(text.slice_ref(without_mark(&text))).map_err(|error| {
                Refusal::bad_request(format!("invalid body: expected a JSON object: {error}"))
            })?,
        };
        if !object.is_object() {
            let found = object.kind_without_text();
            return Err(Refusal::bad_request(format!("invalid body: expected a JSON object, found {found}")));
        }
        Ok((object, lease.map(Arc::new)))
    }

    /// Reads a body within its limits of size and time, and within the limits of all bodies together.
    pub(in crate::http::server) async fn read_text(
        &self,
        principal: &Principal,
        body: Body,
    ) -> Result<(Bytes, Option<BodyLease>), Refusal> {
        let HttpServerConfig { max_body, read_timeout, .. } = *self.config;
        let reading = read_text(body, max_body, || self.bodies.lease(principal, self.room()));
        tokio::time::timeout(read_timeout, reading).await.unwrap_or_else(|_| {
            let message = format!("the body did not arrive within {read_timeout:?}");
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
        })
    }

    /// Returns the limits on the bytes that bodies may hold: at least those of one body.
    fn room(&self) -> Room {
        let HttpServerConfig { total_body_limit, total_body_limit_of_one, max_body, .. } = *self.config;
        let several = self.authority.has_several_callers();
        let room = Room::new(total_body_limit, total_body_limit_of_one, several);
        Room { all: room.all.max(max_body), of_one: room.of_one.max(max_body) }
    }
}

async fn read_text(
    body: Body,
    max: usize,
    lease: impl FnOnce() -> BodyLease,
) -> Result<(Bytes, Option<BodyLease>), Refusal> {
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > max {
        return Err(too_large(max));
    }
    let (mut body, mut make_lease, mut lease) = (Limited::new(body, max), Some(lease), None);
    let mut text = Parts::default();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| match error.is::<LengthLimitError>() {
            true => too_large(max),
            false => Refusal::bad_request(format!("failed to read the body: {error}")),
        })?;
        let Ok(data) = frame.into_data() else { continue };
        let read = text.length + data.len();
        if read > UNCOUNTED {
            if let Some(make) = make_lease.take() {
                lease = Some(make());
            }
            if let Some(lease) = &mut lease {
                lease.grow(read)?;
            }
        }
        text.push(data);
    }
    Ok((text.join(), lease))
}

/// The parts of a body that have arrived. They take little more memory than their bytes, regardless of the declared length and
/// the size of the parts. A single part, the usual case, is not copied.
#[derive(Debug, Default)]
struct Parts {
    first: Bytes,
    blocks: Vec<Vec<u8>>,
    length: usize,
}

/// The size of a block that holds the parts after the first, in bytes.
const BLOCK: usize = 64 * 1024;

impl Parts {
    fn push(&mut self, part: Bytes) {
        self.length += part.len();
        if self.first.is_empty() {
            self.first = part;
            return;
        }
        let mut rest = &part[..];
        while !rest.is_empty() {
            if self.blocks.last().is_none_or(|block| block.len() == BLOCK) {
                self.blocks.push(Vec::with_capacity(BLOCK));
            }
            let Some(block) = self.blocks.last_mut() else { return };
            let (fits, more) = rest.split_at(rest.len().min(BLOCK - block.len()));
            block.extend_from_slice(fits);
            rest = more;
        }
    }

    fn join(self) -> Bytes {
        if self.blocks.is_empty() {
            return self.first;
        }
        let mut whole = BytesMut::with_capacity(self.length);
        whole.extend_from_slice(&self.first);
        // Each block is freed once it is copied.
        self.blocks.into_iter().for_each(|block| whole.extend_from_slice(&block));
        whole.freeze()
    }
}

fn too_large(max: usize) -> Refusal {
    let message = format!("body too large: expected at most {max} bytes (body_limit)");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}
