//! The function is not async.

use mgp_server_sdk::Tool;

fn greet() -> String {
    "hello".to_owned()
}

pub fn tool() -> Tool {
    Tool::new("greet", "Greets", greet)
}
