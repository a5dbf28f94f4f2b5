//! The attributes stand before items that they do not fit.

/// A struct.
#[mgp_server_sdk::tool]
pub struct Wave;

/// Waves.
#[mgp_server_sdk::tool]
pub fn generic<T>(_: T) -> &'static str {
    "waves"
}

/// Waves.
#[mgp_server_sdk::tool]
pub unsafe fn dangerous() -> &'static str {
    "waves"
}

#[mgp_server_sdk::server]
pub struct Waves;
