//! The layer that parks calls.

use super::{service::Parking, table::Table};
use mgp_transport::seam::PeerService;
use std::{sync::Arc, time::Duration};
use tower_layer::Layer;

/// How many calls of hosts that speak a stateless revision of MCP may wait for answers of their hosts, and for how long.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ParkedCalls {
    /// How many may wait, over all hosts.
    pub most: usize,
    /// How many calls of one principal may wait.
    pub most_of_one: usize,
    /// How long a host may take from one round of questions to the next. How long the whole call may take is said beside it.
    pub lifetime: Duration,
}

impl Default for ParkedCalls {
    fn default() -> Self {
        Self { most: 1024, most_of_one: 64, lifetime: Duration::from_secs(15 * 60) }
    }
}

/// Stands around the pipeline, inside of what tells the eras apart. Requests of other eras, and those that are never answered with
/// a round of input, pass.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ParkingLayer {
    table: Arc<Table>,
}

impl ParkingLayer {
    pub(in crate::kernel) fn new(bounds: ParkedCalls) -> Self {
        Self { table: Arc::new(Table::new(bounds)) }
    }

    /// How many calls are parked.
    pub(in crate::kernel) fn count(&self) -> usize {
        self.table.count()
    }
}

impl<S: PeerService> Layer<S> for ParkingLayer {
    type Service = Parking<S>;

    fn layer(&self, inner: S) -> Parking<S> {
        Parking { inner, table: self.table.clone() }
    }
}
