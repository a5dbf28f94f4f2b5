//! The function is not async, and returns no answer of a tool.

use mgp_server_sdk::Tool;

fn count() -> i32 {
    3
}

pub fn tool() -> Tool {
    Tool::new("count", "Counts", count)
}
