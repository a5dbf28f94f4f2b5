//! A server over Streamable HTTP that only the holders of a key can call. It stops gracefully on Ctrl-C.

use mgp_server_sdk::{
    Error, Principal, Server, Tool,
    extract::Caller,
    http::{ApiKey, HttpServerBuilder},
};

fn greet(Caller(caller): Caller) -> String {
    format!("Hello, {}!", caller.as_ref().map_or("stranger", Principal::id))
}

pub(crate) fn http(key: ApiKey) -> Result<HttpServerBuilder, Error> {
    let stack =
        Server::new("greeter", "1.0.0").tool(Tool::new("greet", "Greets its caller", greet)).build()?;
    Ok(stack.http().api_key(key, Principal::agent("ada")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let (text, key) = ApiKey::generate().map_err(Error::Random)?;
    eprintln!("send X-API-Key: {text}");
    http(key)?.serve("127.0.0.1:8800").await?;
    Ok(())
}
