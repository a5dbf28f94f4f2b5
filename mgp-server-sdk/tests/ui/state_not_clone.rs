//! The state that handlers share does not implement `Clone`.

use mgp_server_sdk::{Tool, extract::State};

struct Database;

async fn count(State(Database): State<Database>) -> String {
    "none".to_owned()
}

pub fn tool() -> Tool {
    Tool::new("count", "Counts", count)
}
