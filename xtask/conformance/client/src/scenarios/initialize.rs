//! The handshake, and the parts that every request has.

use super::connect::connect;
use crate::task::Task;

/// Shakes hands and lists the tools.
pub(super) async fn initialize(task: &Task) -> Result<(), String> {
    let client = connect(task).await?;
    client.list_tools().await.map(drop).map_err(|error| format!("failed to list the tools: {error}"))
}
