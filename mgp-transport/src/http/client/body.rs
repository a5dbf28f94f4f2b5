//! Reads the start of a response's body.

use bytes::Bytes;
use reqwest::{Body, Response};
use std::time::Duration;

/// The most bytes that are read of the body of an error, and the time limit of reading them.
const SHORT_BODY: (usize, Duration) = (16 * 1024, Duration::from_secs(5));

/// Reads the start of the body of an error.
pub(super) async fn short_body(mut response: Response) -> Vec<u8> {
    read_short(&mut response).await
}

/// Reads the start of an error's body. Returns it with a response from which the body can be read again.
pub(super) async fn peek(mut response: Response) -> (Response, Bytes) {
    let body = Bytes::from(read_short(&mut response).await);
    let again = http::Response::<Body>::from(response).map(|_| Body::from(body.clone()));
    (again.into(), body)
}

async fn read_short(response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    let (size, limit) = SHORT_BODY;
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk[..chunk.len().min(size - body.len())]);
            if body.len() == size {
                break;
            }
        }
    };
    // The part that arrived in time is used.
    let _ = tokio::time::timeout(limit, read).await;
    body
}
