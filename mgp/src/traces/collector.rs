//! Sends spans to a collector, over this program's own connections.

use async_trait::async_trait;
use http::{HeaderValue, Request, Response, header::AUTHORIZATION};
use mgp_transport::http::fetch::{FetchResponse, Fetcher};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use url::Url;

/// The media type of OTLP's messages.
const PROTOBUF: &str = "application/x-protobuf";

/// The address of a collector, and the connections to it.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) url: Url,
    pub(super) authorization: Option<HeaderValue>,
    pub(super) fetcher: Fetcher,
    /// The runtime for requests, because the thread that sends batches has none.
    pub(super) runtime: Handle,
    /// True after a failure was logged, until a batch is delivered again.
    pub(super) is_failing: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (fetcher, url) = (self.fetcher.clone(), self.url.clone());
        let headers = self.authorization.clone().map(|value| (AUTHORIZATION, value)).into_iter().collect();
        let body = request.into_body().to_vec();
        let sent = self.runtime.spawn(async move { fetcher.post(&url, PROTOBUF, headers, body).await });
        let answer = sent.await.map_err(HttpError::from).and_then(|answer| Ok(answer?));
        self.note(&answer);
        let FetchResponse { status, body, .. } = answer?;
        Ok(Response::builder().status(status).body(body.into())?)
    }
}

impl Collector {
    /// Logs the first of several failures, and the recovery.
    fn note(&self, answer: &Result<FetchResponse, HttpError>) {
        let problem = match answer {
            Ok(answer) if answer.status.is_success() => None,
            Ok(answer) => Some(format!("the collector answered with status {}", answer.status)),
            Err(error) => Some(error.to_string()),
        };
        let was_failing = self.is_failing.swap(problem.is_some(), Ordering::Relaxed);
        match problem {
            Some(problem) if !was_failing => {
                tracing::warn!(problem, "spans are lost until the collector at telemetry.traces takes them");
            }
            None if was_failing => tracing::warn!("the collector at telemetry.traces takes spans again"),
            _ => {}
        }
    }
}
