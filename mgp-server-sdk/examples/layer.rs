//! tower layers around one tool: a time limit, a limit of calls at the same time, and a layer that refuses.

use mgp_server_sdk::{BoxPeerService, Error, ErrorObject, Incoming, Reply, Server, Tool};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tower::{ServiceExt, layer::layer_fn, limit::ConcurrencyLimitLayer, service_fn, timeout::TimeoutLayer};

async fn report() -> &'static str {
    tokio::time::sleep(Duration::from_millis(20)).await;
    "all is well"
}

/// A service that answers the first call only.
fn once(inner: BoxPeerService) -> BoxPeerService {
    let calls = Arc::new(AtomicU32::new(0));
    let service = service_fn(move |call: Incoming| {
        let (inner, first) = (inner.clone(), calls.fetch_add(1, Ordering::Relaxed) == 0);
        async move {
            match first {
                true => inner.oneshot(call).await,
                false => Ok(Reply::error(ErrorObject::invalid_params("this tool runs once"))),
            }
        }
    });
    BoxPeerService::new(service)
}

pub(crate) fn server() -> Server {
    let limited = Tool::new("report", "Writes a report", report)
        .layer(TimeoutLayer::new(Duration::from_secs(30)))
        .layer(ConcurrencyLimitLayer::new(2));
    let single = Tool::new("start", "Starts the engine", || "it runs").layer(layer_fn(once));
    Server::new("engine", "1.0.0").tool(limited).tool(single)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
