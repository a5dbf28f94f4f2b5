//! Reads a body: one message, or a batch.

use super::{bodies::BodyLease, builder::Inner, refusal::Refusal};
use crate::codec::batch;
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
pub(super) enum RequestBody {
    /// One message.
    One(Frame),
    /// Several messages, as text: the session decides whether batches are allowed.
    Batch(Bytes),
}

/// The most bytes of a body that are not counted, because the connection's buffer may hold as many anyway.
const UNCOUNTED: usize = 64 * 1024;

/// Reads a body within its limits of size and time, and within the limits of all bodies together. A long body comes with its
/// lease, which belongs to the messages in the body.
pub(super) async fn read(
    server: &Inner,
    principal: &Principal,
    body: Body,
) -> Result<(RequestBody, Option<Arc<BodyLease>>), Refusal> {
    let (text, lease) = in_time(server, principal, body).await?;
    let posted = if batch::is_batch(text.trim_ascii_start()) {
        RequestBody::Batch(text)
    } else {
        RequestBody::One(Frame::parse(&text)?)
    };
    Ok((posted, lease.map(Arc::new)))
}

/// Reads a body that is one JSON object, as [`read`] does. A missing body counts as an empty object.
pub(super) async fn read_object(
    server: &Inner,
    principal: &Principal,
    body: Body,
) -> Result<(RawJson, Option<Arc<BodyLease>>), Refusal> {
    let (text, lease) = in_time(server, principal, body).await?;
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

/// Reads a body within its limits of size and time.
async fn in_time(
    server: &Inner,
    principal: &Principal,
    body: Body,
) -> Result<(Bytes, Option<BodyLease>), Refusal> {
    let config = &server.config;
    let reading = read_text(body, config.max_body, || server.body_lease(principal));
    tokio::time::timeout(config.read_timeout, reading).await.unwrap_or_else(|_| {
        let message = format!("the body did not arrive within {:?}", config.read_timeout);
        Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
    })
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
