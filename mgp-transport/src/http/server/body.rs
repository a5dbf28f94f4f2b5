//! Reads one message out of a body.

use super::{config::HttpServerConfig, refusal::Refusal};
use axum::body::Body;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mgp_types::rpc::Frame;

/// Reads one message, within the bounds of size and time.
pub(super) async fn read(body: Body, config: &HttpServerConfig) -> Result<Frame, Refusal> {
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
    if text.trim_ascii_start().first() == Some(&b'[') {
        return Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "batches are not supported: send one message in each POST",
        ));
    }
    Ok(Frame::parse(text)?)
}
