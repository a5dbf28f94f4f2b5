//! Nothing describes the tool and the prompt, and the resource has no URI.

#[mgp_server_sdk::tool]
fn wave() -> &'static str {
    "waves"
}

#[mgp_server_sdk::prompt]
fn greet() -> &'static str {
    "hello"
}

#[mgp_server_sdk::resource]
fn motd() -> &'static str {
    "Be kind."
}
