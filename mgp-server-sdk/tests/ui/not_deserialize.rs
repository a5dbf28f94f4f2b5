//! The arguments cannot be read: they do not implement `Deserialize`.

use mgp_server_sdk::{
    Tool,
    extract::Args,
    schemars::{self, JsonSchema},
};

#[derive(JsonSchema)]
#[schemars(crate = "mgp_server_sdk::schemars")]
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
