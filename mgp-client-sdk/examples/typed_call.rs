//! A typed call: the arguments and the result are types of the program.
//!
//! Run it with `cargo run -p mgp-client-sdk --example typed_call`.
use mgp_client_sdk::client::{Client, ToolCallError};
use mgp_server_sdk::{Json, Server, Tool, ToolError, extract::Args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Division {
    a: f64,
    b: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Quotient {
    quotient: f64,
}

async fn divide(Args(Division { a, b }): Args<Division>) -> Result<Json<Quotient>, ToolError> {
    if b == 0.0 {
        return Err(ToolError::invalid_arguments("b: expected a number other than 0"));
    }
    Ok(Json(Quotient { quotient: a / b }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server in this process, so that the example needs no other.
    let server = Server::new("calculator", "1.0.0").tool(Tool::new("divide", "Divides two numbers", divide));
    let (input, output) = server.build()?.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    let Quotient { quotient } = client.call("divide", &Division { a: 6.0, b: 4.0 }).await?;
    println!("6 / 4 = {quotient}");
    assert!(quotient == 1.5);

    let failed = client.call::<Quotient>("divide", &Division { a: 6.0, b: 0.0 }).await;
    match failed {
        Err(error @ ToolCallError::Failed { .. }) => println!("6 / 0: {error}"),
        _ => return Err("expected a failure".into()),
    }
    client.close().await;
    Ok(())
}
