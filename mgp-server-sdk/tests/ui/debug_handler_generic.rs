//! `debug_handler!` cannot choose types for a generic function.

use mgp_server_sdk::{debug_handler, extract::State};

debug_handler! {
    pub async fn count<T: Clone + Send + Sync + 'static>(_: State<T>) -> String {
        String::new()
    }
}

debug_handler! {
    pub async fn count_here(_: State<u8>) -> String
    where
        u8: Clone,
    {
        String::new()
    }
}
