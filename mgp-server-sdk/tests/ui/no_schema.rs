//! The arguments cannot be described to clients: they do not implement `JsonSchema`.

use mgp_server_sdk::{
    Tool,
    extract::Args,
    serde::{self, Deserialize},
};

#[derive(Deserialize)]
#[serde(crate = "mgp_server_sdk::serde")]
struct Add {
    a: f64,
    b: f64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}

pub fn tool() -> Tool {
    Tool::new("add", "Adds two numbers", add)
}
