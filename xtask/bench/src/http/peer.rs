//! The peer: rmcp's Streamable HTTP service with its own sessions, on axum.

use crate::adder::Adder;
use axum::{Router, serve::ListenerExt as _};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use std::{net::SocketAddr, sync::Arc};
use tokio::{net::TcpListener, task::AbortHandle};

/// A server that ends on drop.
#[derive(Debug)]
pub(super) struct Rmcp {
    pub(super) address: SocketAddr,
    task: AbortHandle,
}

/// Serves on a free port of this machine, with rmcp's defaults, or with answers in JSON if possible.
pub(super) async fn serve(json: bool) -> Result<Rmcp, String> {
    let config = StreamableHttpServerConfig::default().with_json_response(json);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Adder::new()), sessions, config);
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // As ours does: otherwise the second part of an answer would wait for the client's acknowledgement of the first.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let serve = axum::serve(listener, Router::new().nest_service(super::ours::PATH, service));
    let task = tokio::spawn(serve.into_future()).abort_handle();
    Ok(Rmcp { address, task })
}

impl Drop for Rmcp {
    fn drop(&mut self) {
        self.task.abort();
    }
}
