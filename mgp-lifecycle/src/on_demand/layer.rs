//! The layer that makes requests wait for the start of a server, and starts a server for the requests that need it.

use super::{Demand, OnDemand};
use crate::state::StateMachine;
use mgp_transport::seam::Incoming;
use std::{sync::Arc, time::Duration};
use tower_layer::Layer;

/// The layer that starts a server for the requests that need it, and makes them wait for the start. Requests also wait for the [first
/// start](crate::state::Outlook::FirstStart) of a server whose offer is known.
///
/// It goes outside the limits and the gate, so that a request that waits holds no permit. The supervisor of the server waits for
/// [`Demand::needed`], or for [`Demand::needed_again`] while the server is away, and starts the server.
#[derive(Debug, Clone)]
pub struct OnDemandLayer(pub(super) Arc<StartRules>);

/// The time limits of a request's wait for its server.
#[derive(Debug, Clone, Copy)]
pub struct StartLimits {
    /// The limit for a server that is started for the request, or that is being started.
    pub start: Duration,
    /// The limit for a server that is away ([`Outlook::StartBy`](crate::state::Outlook::StartBy)).
    pub away: Duration,
}

/// The rules of a start.
#[derive(Debug)]
pub(super) struct StartRules {
    pub(super) machine: StateMachine,
    /// The requests that need the server.
    pub(super) demand: Demand,
    pub(super) limits: StartLimits,
    /// The configuration key that decides [`StartLimits::start`], for errors.
    pub(super) limit_key: Box<str>,
    /// Marks a request that waited.
    pub(super) mark: fn(&mut Incoming),
}

impl OnDemandLayer {
    /// Creates a layer. A request waits for the start within `limits`; a request that waited is passed to `mark` before it is sent.
    #[must_use]
    pub fn new(machine: StateMachine, demand: Demand, limits: StartLimits, mark: fn(&mut Incoming)) -> Self {
        let limit_key = "servers[].mgp.startup_timeout_ms".into();
        Self(Arc::new(StartRules { machine, demand, limits, limit_key, mark }))
    }

    /// Names the configuration key that decides [`StartLimits::start`], for errors; `servers[].mgp.startup_timeout_ms` without it. Has no
    /// effect on a layer that was cloned.
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
