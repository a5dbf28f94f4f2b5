//! An option that no setter has, one that is set twice, and a URI that belongs to resources.

/// Waves.
#[mgp_server_sdk::tool(red_only)]
fn wave() -> &'static str {
    "waves"
}

/// Nods.
#[mgp_server_sdk::tool(title = "a", title = "b")]
fn nod() -> &'static str {
    "nods"
}

/// Bows.
#[mgp_server_sdk::tool("x://bow")]
fn bow() -> &'static str {
    "bows"
}
