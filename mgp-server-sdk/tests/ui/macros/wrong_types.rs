//! An argument that is no extractor and an answer that is no result are named where they stand.

/// Greets.
#[mgp_server_sdk::tool]
pub fn greet(name: String) -> String {
    name
}

/// Counts.
#[mgp_server_sdk::tool]
pub async fn count() -> i32 {
    3
}
