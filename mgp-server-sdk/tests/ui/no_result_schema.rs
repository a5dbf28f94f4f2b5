//! The result cannot be described to clients: it does not implement `JsonSchema`.

use mgp_server_sdk::{
    Json, Tool,
    serde::{self, Serialize},
};

#[derive(Serialize)]
#[serde(crate = "mgp_server_sdk::serde")]
struct Sum {
    sum: f64,
}

async fn sum() -> Json<Sum> {
    Json(Sum { sum: 3.0 })
}

pub fn tool() -> Tool {
    Tool::new("sum", "Adds two numbers", sum)
}
