//! The layer that has a server started by the requests that need it.

use super::{Demand, OnDemand};
use crate::state::StateMachine;
use mgp_transport::seam::Incoming;
use std::{sync::Arc, time::Duration};
use tower_layer::Layer;

/// The layer that has a server started by the requests that need it, and has them wait for the start.
///
/// It goes outside the limits and the gate, so that a request that waits holds no permit. The supervisor of the server waits for
/// [`Demand::needed`] and starts the server.
#[derive(Debug, Clone)]
pub struct OnDemandLayer(pub(super) Arc<StartRules>);

/// The rules of a start.
#[derive(Debug)]
pub(super) struct StartRules {
    pub(super) machine: StateMachine,
    /// The requests that need the server; `None` for a server that is not started by requests.
    pub(super) demand: Option<Demand>,
    pub(super) limit: Duration,
    /// The configuration key that decides the limit, for errors.
    pub(super) limit_key: Box<str>,
    /// Marks a request that waited.
    pub(super) mark: fn(&mut Incoming),
}

impl OnDemandLayer {
    /// Creates a layer. A request waits for the start within `limit`; one that waited is given to `mark` before it is sent. Without
    /// `demand`, every request is passed on at once.
    #[must_use]
    pub fn new(
        machine: StateMachine,
        demand: Option<Demand>,
        limit: Duration,
        mark: fn(&mut Incoming),
    ) -> Self {
        let limit_key = "servers[].mgp.startup_timeout_ms".into();
        Self(Arc::new(StartRules { machine, demand, limit, limit_key, mark }))
    }

    /// Names the configuration key that decides the limit, for errors; `servers[].mgp.startup_timeout_ms` without it. Has no effect on a
    /// layer that was cloned.
    #[must_use]
    pub fn limit_key(mut self, key: impl Into<Box<str>>) -> Self {
        if let Some(rules) = Arc::get_mut(&mut self.0) {
            rules.limit_key = key.into();
        }
        self
    }
}

impl<S> Layer<S> for OnDemandLayer {
    type Service = OnDemand<S>;

    fn layer(&self, inner: S) -> OnDemand<S> {
        OnDemand::new(inner, self.0.clone())
    }
}
