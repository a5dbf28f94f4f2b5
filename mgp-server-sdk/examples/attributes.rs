//! Attributes that take descriptions from doc comments, on single functions and on the methods of a type.

use mgp_server_sdk::{
    Error, Server,
    extract::Args,
    prompt,
    schemars::{self, JsonSchema},
    server, tool,
};
use serde::Deserialize;
use std::sync::Mutex;

#[derive(Deserialize, JsonSchema)]
struct Item {
    /// The name of the item.
    name: String,
}

#[derive(Default)]
struct Cart(Mutex<Vec<String>>);

/// Fill the cart before you order.
#[server(name = "shop", version = "1.0.0")]
impl Cart {
    /// Puts an item into the cart.
    #[tool(idempotent(false))]
    fn add(&self, Args(Item { name }): Args<Item>) -> Result<String, String> {
        let mut items = self.0.lock().map_err(|_| "the cart is broken")?;
        items.push(name);
        Ok(format!("{} items", items.len()))
    }

    /// The items in the cart.
    #[resource("cart://items")]
    fn items(&self) -> Result<String, String> {
        Ok(self.0.lock().map_err(|_| "the cart is broken")?.join("\n"))
    }
}

/// Tells when the shop is open.
#[tool(read_only)]
async fn hours() -> &'static str {
    "always"
}

/// Asks for what is missing.
#[prompt]
fn shopping() -> &'static str {
    "What is missing in the kitchen? Put it into the cart."
}

pub(crate) fn server() -> Server {
    Server::from(Cart::default()).tool(hours::tool()).prompt(shopping::prompt())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
