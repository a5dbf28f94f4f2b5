//! The function holds what cannot be sent between threads while it waits.

use mgp_server_sdk::Tool;
use std::rc::Rc;

async fn wait() {}

async fn count() -> String {
    let count = Rc::new(7);
    wait().await;
    count.to_string()
}

pub fn tool() -> Tool {
    Tool::new("count", "Counts", count)
}
