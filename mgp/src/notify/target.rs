//! One target of notifications.

use super::{notice::Notice, program};
use crate::secrets::AccountSecrets;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use mgp_discovery::config::{NotifyKind, NotifyTarget, Secret};
use mgp_transport::http::{
    fetch::{DocumentError, FetchLimits, Fetcher},
    zone::Zone,
};
use serde::Serialize;
use std::time::Duration;
use url::Url;

/// The time limit of one attempt.
const ATTEMPT: Duration = Duration::from_secs(10);

/// The largest answer of a target that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

/// A target of notifications.
#[derive(Debug)]
pub(super) struct Target {
    /// The key of the configuration and the kind, for logs.
    pub(super) name: String,
    config: NotifyTarget,
    /// The reader of secrets, which are read for each notification, so that a renewed one is used at once.
    secrets: AccountSecrets,
    fetcher: Fetcher,
}

/// The body of a Slack message.
#[derive(Serialize)]
struct SlackMessage<'a> {
    text: &'a str,
}

impl Target {
    /// Creates the target at a place of `approvals.notify`.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub(super) fn new(
        place: usize,
        config: NotifyTarget,
        secrets: AccountSecrets,
    ) -> Result<Self, DocumentError> {
        let limits = FetchLimits { time: ATTEMPT, size: MAX_ANSWER, redirects: 0 };
        let name = format!("approvals.notify[{place}] ({})", config.kind.as_str());
        Ok(Self { name, config, secrets, fetcher: Fetcher::new(limits, Zone::Local)? })
    }

    /// Makes one attempt to deliver a notification, within bounds of time.
    ///
    /// # Errors
    /// A sentence that names the reason and the remedy. It shows no secret.
    pub(super) async fn deliver(&self, notice: &Notice, console: Option<&str>) -> Result<(), String> {
        match self.config.kind {
            NotifyKind::Ntfy => {
                self.post("text/plain; charset=utf-8", notice.text(console).into_bytes()).await
            }
            NotifyKind::Slack => {
                let text = slack_text(&notice.text(console));
                let body =
                    serde_json::to_vec(&SlackMessage { text: &text }).map_err(|error| error.to_string())?;
                self.post("application/json", body).await
            }
            NotifyKind::Command => {
                let argv: Vec<_> = self.config.argv.iter().map(|text| text.value().to_owned()).collect();
                program::run(&argv, &notice.json(console), ATTEMPT).await
            }
        }
    }

    async fn post(&self, content_type: &'static str, body: Vec<u8>) -> Result<(), String> {
        let url = self.secret("url", self.config.url.as_ref()).await?.unwrap_or_default();
        let url: Url = url.parse().map_err(|error| format!("url is not a URL: {error}; correct it"))?;
        let mut headers = HeaderMap::new();
        if let Some(token) = self.secret("token", self.config.token.as_ref()).await? {
            let token = HeaderValue::from_str(&format!("Bearer {token}"))
                .map_err(|_| "token holds characters that a header cannot have; correct it".to_owned())?;
            headers.insert(AUTHORIZATION, token);
        }
        let answer = self.fetcher.post(&url, content_type, headers, body).await;
        match answer {
            Ok(answer) if answer.status.is_success() => Ok(()),
            Ok(answer) => Err(format!("it answered with status {}; check url and token", answer.status)),
            Err(error) => Err(format!("{}; check url and the network", reason(&error))),
        }
    }

    async fn secret(&self, key: &str, secret: Option<&Secret>) -> Result<Option<String>, String> {
        let Some(text) = secret.map(Secret::text) else { return Ok(None) };
        text.with_secrets(&self.secrets).await.map(Some).map_err(|error| format!("{key}: {error}"))
    }
}

/// Returns the reason of a failure without the URL, whose path may be a secret.
fn reason(error: &DocumentError) -> String {
    match error {
        DocumentError::Unreachable { reason, .. } => format!("it cannot be reached: {reason}"),
        DocumentError::Timeout { limit, .. } => format!("it gave no answer within {limit:?}"),
        DocumentError::Insecure { .. } => "its url is neither of https nor of this machine".to_owned(),
        DocumentError::TooLong { max, .. } => format!("its answer is longer than {max} bytes"),
        _ => "it cannot be used".to_owned(),
    }
}

/// Returns a text in which Slack finds no link and no mention.
fn slack_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
