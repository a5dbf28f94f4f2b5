//! The layer that has requests wait for the start of a server, and has a server started by the requests that need it.

use super::{Demand, OnDemand};
use crate::state::StateMachine;
use mgp_transport::seam::Incoming;
use std::{sync::Arc, time::Duration};
use tower_layer::Layer;

/// The layer that has a server started by the requests that need it, and has them wait for the start. Requests also wait for the [first
/// start](crate::state::Outlook::FirstStart) of a server whose offer is known.
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
    /// Marks a request that waited.
    pub(super) mark: fn(&mut Incoming),
}

impl OnDemandLayer {
    /// Creates a layer. A request waits for the start within `limit`; one that waited is given to `mark` before it is sent. Without
    /// `demand`, requests start no server, and wait only for its first start.
    #[must_use]
    pub fn new(
        machine: StateMachine,
        demand: Option<Demand>,
        limit: Duration,
        mark: fn(&mut Incoming),
    ) -> Self {
        Self(Arc::new(StartRules { machine, demand, limit, mark }))
    }
}

impl<S> Layer<S> for OnDemandLayer {
    type Service = OnDemand<S>;

    fn layer(&self, inner: S) -> OnDemand<S> {
        OnDemand::new(inner, self.0.clone())
    }
}
