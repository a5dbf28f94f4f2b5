//! Reads the response to a request, and resumes its stream.

use super::{
    answer::{Answer, read_json, read_stream},
    failure,
    pace::Pace,
};
use crate::http::header::{JSON, SSE, content_type, is_media_type};
use http::StatusCode;
use mgp_types::rpc::ErrorObject;
use reqwest::Response;

/// Reads the response to a request, up to its answer.
pub(super) async fn read_answer(response: Response, answer: &mut Answer<'_>) -> Result<(), ErrorObject> {
    let status = response.status();
    let found = content_type(response.headers());
    if is_media_type(found, JSON) {
        read_json(response, answer).await?;
    } else if is_media_type(found, SSE) {
        follow_stream(response, answer).await?;
    } else if status == StatusCode::OK {
        return Err(failure::of_content(format!("unexpected Content-Type of an answer: {found:?}")));
    }
    if answer.answered {
        return Ok(());
    }
    Err(failure::of_content(format!("the server ended the exchange (HTTP {status}) without an answer")))
}

/// Reads a call's stream, and resumes it if the server allows that.
async fn follow_stream(response: Response, answer: &mut Answer<'_>) -> Result<(), ErrorObject> {
    let mut resume = read_stream(response, answer).await;
    let config = &answer.link.config;
    let mut pace = Pace::default();
    pace.ended(true, resume.retry);
    while !answer.answered && !pace.is_given_up(config) {
        // A stream without ids cannot be resumed, and in stateless revisions none can.
        let Some(last_id) = resume.last_id.clone().filter(|_| !answer.stateless) else { break };
        tokio::time::sleep(pace.delay(config)).await;
        match answer.link.get(Some(&last_id)).await {
            Ok(response) if response.status() == StatusCode::OK => {
                let next = read_stream(response, answer).await;
                // A server that lets its clients poll sends an id each time, and nothing else before the answer.
                if next.last_id.is_some() {
                    pace.read(&next, config);
                } else {
                    pace.failed();
                }
                resume.last_id = next.last_id.or(resume.last_id);
            }
            Ok(response) if response.status().is_client_error() && !failure::may_pass(response.status()) => {
                return Err(failure::after_sending(failure::of_response(response).await));
            }
            Ok(_) => pace.failed(),
            Err(error) => {
                tracing::debug!(error = %error.without_url(), "failed to resume a stream");
                pace.failed();
            }
        }
    }
    match resume.error {
        Some(error) if !answer.answered => Err(error),
        _ => Ok(()),
    }
}
