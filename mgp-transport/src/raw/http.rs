//! Streamable HTTP: each text is the body of a POST, and the texts of the response are passed on.

use super::{RawConnection, RawEvent, raw_connection::WAITING};
use crate::http::{
    client::{
        sse::SseParser,
        stateless::{self, ToolHeaders},
    },
    fetch::{DocumentError, FetchLimits, Fetcher},
    header::{JSON, SSE},
    zone::Zone,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header};
use mgp_types::json::RawObject;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinSet};
use url::Url;

/// The bounds of a connection, and the headers of its requests.
#[derive(Debug, Clone)]
pub struct RawHttpConfig {
    /// The headers of every request.
    pub headers: HeaderMap,
    /// The time limit of one exchange, to the last byte of its response.
    pub timeout: Duration,
    /// The longest response, in bytes.
    pub max: usize,
}

/// The most exchanges that run at the same time.
const AT_ONCE: usize = 16;
/// The longest time that a text waits for the exchange before it.
const SOON: Duration = Duration::from_millis(300);
/// The length of the beginning of a body that is reported with its status, in bytes.
const TOLD: usize = 512;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

impl RawConnection {
    /// Creates a connection to a Streamable HTTP endpoint: over https, or over http to this machine. Later requests carry the
    /// session's id that a response names, and the revision of [`set_version`](Self::set_version). A request of a stateless
    /// revision also has its headers, except those of a tool's arguments.
    ///
    /// # Errors
    /// Returns a [`DocumentError`] for a URL that is not safe, or if TLS cannot be set up.
    pub fn http(url: &Url, config: RawHttpConfig) -> Result<Self, DocumentError> {
        let limits = FetchLimits { size: config.max, time: config.timeout, redirects: 0 };
        let fetcher = Fetcher::new(limits, Zone::Local)?;
        fetcher.check(url)?;
        let (outgoing, texts) = mpsc::channel(WAITING);
        let (sender, events) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        let version = Arc::default();
        let endpoint = Endpoint {
            fetcher,
            url: url.clone(),
            version: Arc::clone(&version),
            config,
            session: Arc::default(),
        };
        tasks.spawn(endpoint.serve(texts, sender));
        Ok(Self {
            outgoing,
            events,
            tasks,
            version,
            #[cfg(feature = "child")]
            process: None,
        })
    }
}

#[derive(Clone)]
struct Endpoint {
    fetcher: Fetcher,
    url: Url,
    version: Arc<parking_lot::Mutex<Option<HeaderValue>>>,
    config: RawHttpConfig,
    session: Arc<parking_lot::Mutex<Option<HeaderValue>>>,
}

impl Endpoint {
    /// Posts each text. The first one is answered before the next is sent, because it opens the session.
    async fn serve(self, mut texts: mpsc::Receiver<String>, events: mpsc::Sender<RawEvent>) {
        let mut exchanges = JoinSet::new();
        let mut is_open = false;
        while let Some(text) = texts.recv().await {
            if is_open {
                if exchanges.len() >= AT_ONCE {
                    exchanges.join_next().await;
                }
                exchanges.spawn(self.clone().exchange(text, events.clone()));
                // A message does not overtake an earlier one that is answered soon.
                let _ = tokio::time::timeout(SOON, exchanges.join_next()).await;
            } else {
                self.clone().exchange(text, events.clone()).await;
                is_open = true;
            }
        }
        self.end().await;
    }

    async fn exchange(self, text: String, events: mpsc::Sender<RawEvent>) {
        let mut headers = self.headers();
        headers.extend(stateless_headers(&text));
        let answer =
            self.fetcher.send(&self.url, (Method::POST, headers, text.into_bytes()), self.config.max);
        let read = match answer.await {
            Ok(response) => {
                if let Some(session) = response.headers().get(SESSION) {
                    self.session.lock().get_or_insert_with(|| session.clone());
                }
                events_of(response, self.config.max)
            }
            Err(error) => vec![RawEvent::Failed(error.to_string())],
        };
        for event in read {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = self.config.headers.clone();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(version) = &*self.version.lock() {
            headers.insert(VERSION, version.clone());
        }
        if let Some(session) = &*self.session.lock() {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    /// Ends the session, if the server supports that.
    async fn end(self) {
        if self.session.lock().is_some() {
            let _ = self.fetcher.send(&self.url, (Method::DELETE, self.headers(), Vec::new()), TOLD).await;
        }
    }
}

/// Returns the additional headers of a request of a stateless revision; none for other texts.
fn stateless_headers(text: &str) -> HeaderMap {
    let message = RawObject::parse(text.to_owned()).ok();
    let headers = message.and_then(|message| {
        let params = message.get("params")?.clone().into();
        stateless::headers(&message.text("method")?, &params, &ToolHeaders::default())
    });
    headers.unwrap_or_default()
}

fn events_of(response: Response<Vec<u8>>, max: usize) -> Vec<RawEvent> {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.trim_start().starts_with(SSE));
    let body = response.into_body();
    if !status.is_success() {
        // An error of the protocol may have its own status.
        if memchr::memmem::find(&body, b"\"jsonrpc\"").is_some() {
            return vec![RawEvent::Text(body.into())];
        }
        let told = String::from_utf8_lossy(&body[..body.len().min(TOLD)]).into_owned();
        return vec![RawEvent::Status(status.as_u16(), told)];
    }
    if !is_stream {
        return if body.iter().all(u8::is_ascii_whitespace) {
            Vec::new()
        } else {
            vec![RawEvent::Text(body.into())]
        };
    }
    let mut read = VecDeque::new();
    let end = SseParser::new(max).feed(&body, &mut read);
    let mut events: Vec<_> = read
        .into_iter()
        .filter(|event| !event.data.is_empty())
        .map(|event| RawEvent::Text(event.data.into()))
        .collect();
    events.extend(end.is_err().then_some(RawEvent::TooLong));
    events
}
