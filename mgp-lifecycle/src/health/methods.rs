//! `mgp/health/ping` and `mgp/health/status`.

use super::Health;
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::lifecycle::{CheckHealth, HealthPing, HealthPingParams};

impl Health {
    /// Returns the methods that report the health of a server. A ping is answered at once with the status known so far; a request for
    /// the status runs the checks.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .route(HealthPing, Role::Anyone, async |health: Self, message| {
                let HealthPingParams { .. } = message.params.decode()?;
                Ok(Reply::from_value(&health.ping()))
            })
            .route(CheckHealth, Role::Anyone, async |health: Self, _| {
                Ok(Reply::from_value(&health.report().await))
            })
    }
}
