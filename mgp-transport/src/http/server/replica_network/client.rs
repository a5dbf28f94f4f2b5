//! The connections to other replicas.

use super::{certificates::name_of, hop};
use crate::{
    http::server::replicas::{ForwardError, ForwardToReplica, ReplicaTarget},
    seam::BoxError,
};
use async_trait::async_trait;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response, header::CONTENT_LENGTH};
use parking_lot::Mutex;
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};
use rustls::ClientConfig;
use std::{collections::HashMap, error::Error as _, io, sync::Arc, time::Duration};
use tokio::net::lookup_host;

/// The time limit of a connection, including its handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The time after which a connection is given up whose other end acknowledges nothing: it was cut off without notice.
#[cfg(target_os = "linux")]
const SILENCE: Duration = Duration::from_secs(1);

/// The interval at which the other end of a silent connection is asked for a sign of life.
const KEEP_ALIVE: Duration = Duration::from_secs(1);

/// The time after which a connection without a request is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The most names that are remembered.
const MAX_NAMES: usize = 1024;

/// The addresses of replicas, by the names in their certificates.
#[derive(Debug, Clone, Default)]
struct Names(Arc<Mutex<HashMap<String, String>>>);

/// The client of the other replicas.
#[derive(Debug)]
pub(super) struct ReplicaClient {
    address: String,
    names: Names,
    client: Client,
}

impl ReplicaClient {
    pub(super) fn new(address: String, tls: ClientConfig) -> Result<Self, BoxError> {
        let names = Names::default();
        let builder = Client::builder();
        #[cfg(target_os = "linux")]
        let builder = builder.tcp_user_timeout(SILENCE);
        let client = builder
            .tcp_keepalive(KEEP_ALIVE)
            .tcp_keepalive_interval(KEEP_ALIVE)
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(names.clone()))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .map_err(reqwest::Error::without_url)?;
        Ok(Self { address, names, client })
    }
}

impl Names {
    /// Sets the address of a replica, and returns the origin of its URLs.
    fn origin(&self, target: &ReplicaTarget) -> Result<String, BoxError> {
        let (_, port) = target.address.rsplit_once(':').ok_or("the address of the replica has no port")?;
        let name = name_of(&target.id);
        let origin = format!("https://{name}:{port}");
        let mut names = self.0.lock();
        if names.len() >= MAX_NAMES {
            names.clear();
        }
        names.insert(name, target.address.clone());
        Ok(origin)
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let address = self.0.lock().get(name.as_str()).cloned();
        Box::pin(async move {
            let address = address.ok_or("unknown replica")?;
            let found: Vec<_> = lookup_host(address).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[async_trait]
impl ForwardToReplica for ReplicaClient {
    fn address(&self) -> &str {
        &self.address
    }

    async fn forward(
        &self,
        target: &ReplicaTarget,
        request: Request<Bytes>,
    ) -> Result<Response<Body>, ForwardError> {
        let (mut parts, text) = request.into_parts();
        let origin = self.names.origin(target).map_err(ForwardError::Unreached)?;
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        hop::remove(&mut parts.headers);
        parts.headers.remove(CONTENT_LENGTH);
        let sent = self.client.request(parts.method, format!("{origin}{path}")).headers(parts.headers);
        let answered = sent.body(text).send().await.map_err(|error| {
            let (is_silent, is_unreached) = (is_timeout(&error), error.is_connect() || error.is_builder());
            let error = error.without_url().into();
            match is_unreached {
                true if is_silent => ForwardError::Silent(error),
                true => ForwardError::Unreached(error),
                false => ForwardError::Lost(error),
            }
        })?;
        let mut response = Response::new(());
        *response.status_mut() = answered.status();
        response.headers_mut().clone_from(answered.headers());
        hop::remove(response.headers_mut());
        Ok(response.map(|()| Body::from_stream(answered.bytes_stream())))
    }
}

/// Returns whether the other end did not answer in time.
fn is_timeout(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            return true;
        }
        cause = error.source();
    }
    error.is_timeout()
}
