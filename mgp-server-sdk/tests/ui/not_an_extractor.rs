//! An argument is taken as it is, and not as `Args`.

use mgp_server_sdk::Tool;

async fn greet(name: String) -> String {
    format!("hello {name}")
}

pub fn tool() -> Tool {
    Tool::new("greet", "Greets", greet)
}
