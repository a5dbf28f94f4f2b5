//! Servers without handlers, with a method that changes its server, and a method that is made a tool alone.

pub struct Empty;

#[mgp_server_sdk::server]
impl Empty {
    pub fn wave(&self) -> &'static str {
        "waves"
    }
}

pub struct ChangingServer(u32);

#[mgp_server_sdk::server]
impl ChangingServer {
    /// Counts.
    #[tool]
    pub fn count(&mut self) -> String {
        self.0 += 1;
        self.0.to_string()
    }

    /// Ends.
    #[tool]
    pub fn end(self) -> String {
        self.0.to_string()
    }
}

pub struct Alone;

impl Alone {
    /// Waves.
    #[mgp_server_sdk::tool]
    pub fn wave(&self) -> &'static str {
        "waves"
    }
}
