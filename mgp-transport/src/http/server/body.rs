//! Reads what a body holds: one message, or a batch.

use super::{config::HttpServerConfig, refusal::Refusal};
use crate::codec::batch;
use axum::body::Body;
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mgp_types::rpc::Frame;

/// What a body holds.
#[derive(Debug)]
pub(super) enum Posted {
    /// One message.
    One(Frame),
    /// Several, as text: whether they may come together is the session's to say.
    Batch(Bytes),
}

/// Reads what a body holds, within the bounds of size and time.
pub(super) async fn read(body: Body, config: &HttpServerConfig) -> Result<Posted, Refusal> {
    let collected = Limited::new(body, config.max_body).collect();
    let text = match tokio::time::timeout(config.read_time_limit, collected).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("body too large: expected at most {} bytes", config.max_body);
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        Ok(Err(error)) => {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("failed to read the body: {error}")));
        }
        Err(_) => {
            let message = format!("the body did not arrive within {:?}", config.read_time_limit);
            return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message));
        }
    };
    if batch::is_batch(text.trim_ascii_start()) {
        return Ok(Posted::Batch(text));
    }
    Ok(Posted::One(Frame::parse(text)?))
}
