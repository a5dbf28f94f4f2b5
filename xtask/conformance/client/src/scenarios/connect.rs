//! The client under test, connected.

use crate::task::Task;
use mgp_client_sdk::{
    HttpClientConfig,
    client::{Client, ClientBuilder},
};

/// Returns the builder of the client under test: a plain MCP client.
pub(super) fn builder() -> ClientBuilder {
    Client::builder("mgp-conformance-client", env!("CARGO_PKG_VERSION")).without_mgp()
}

/// Connects to the scenario's server.
pub(super) async fn connect(task: &Task) -> Result<Client, String> {
    connect_with(task, builder()).await
}

/// Connects a client that is built as a scenario requires.
pub(super) async fn connect_with(task: &Task, builder: ClientBuilder) -> Result<Client, String> {
    connect_to(task, builder, HttpClientConfig::default()).await
}

/// Connects a client over a connection that is configured as a scenario requires.
pub(super) async fn connect_to(
    task: &Task,
    builder: ClientBuilder,
    config: HttpClientConfig,
) -> Result<Client, String> {
    let connected = builder.connect_http(&task.url, config).await;
    connected.map_err(|error| format!("failed to connect to {}: {error}", task.url))
}
