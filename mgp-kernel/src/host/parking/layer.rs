//! The layer that parks calls.

use super::{service::Parking, table::Table};
use mgp_transport::seam::PeerService;
use std::{sync::Arc, time::Duration};
use tower_layer::Layer;

/// The limits on parked calls: calls of hosts with a stateless revision of MCP that wait for answers of their hosts.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ParkedCalls {
    /// The maximum number of parked calls, over all hosts.
    pub most: usize,
    /// The maximum number of parked calls of one principal.
    pub most_of_one: usize,
}

impl Default for ParkedCalls {
    fn default() -> Self {
        Self { most: 1024, most_of_one: 64 }
    }
}

/// The layer that parks calls that wait for answers of their hosts. It wraps the pipeline, inside the layer that tells the eras
/// apart. Requests of the other era, and requests that cannot be answered with a round of input, pass unchanged.
#[derive(Debug, Clone)]
pub(crate) struct ParkingLayer {
    table: Arc<Table>,
}

impl ParkingLayer {
    /// Creates the layer. `lifetime` is the time limit for a host from one round of questions to the next. The time limit of the whole call is set
    /// separately.
    pub(crate) fn new(bounds: ParkedCalls, lifetime: Duration) -> Self {
        Self { table: Arc::new(Table::new(bounds, lifetime)) }
    }

    /// Returns the number of parked calls.
    pub(crate) fn count(&self) -> usize {
        self.table.count()
    }
}

impl<S: PeerService> Layer<S> for ParkingLayer {
    type Service = Parking<S>;

    fn layer(&self, inner: S) -> Parking<S> {
        Parking { inner, table: self.table.clone() }
    }
}
