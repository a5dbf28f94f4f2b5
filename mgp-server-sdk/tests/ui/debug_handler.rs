//! `debug_handler!` names the argument where it stands, also of a function that no tool is made of.

mgp_server_sdk::debug_handler! {
    pub async fn greet(times: mgp_server_sdk::Session, name: String) -> String {
        drop(times);
        name
    }
}

mgp_server_sdk::debug_handler! {
    pub fn wave(times: u32) -> String {
        "waves".repeat(times as usize)
    }
}
