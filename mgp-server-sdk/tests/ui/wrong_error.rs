//! The error of the result does not implement `Display`.

use mgp_server_sdk::Tool;

struct NoDisk;

async fn save() -> Result<String, NoDisk> {
    Err(NoDisk)
}

pub fn tool() -> Tool {
    Tool::new("save", "Saves", save)
}
