//! The mapping from registrations to endpoints.

use crate::{ConfigurationError, Endpoint};
use mgp_discovery::registration::Registration;
use std::{fmt, sync::Arc};

type ReachFn = dyn Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync;

/// The mapping from a registration to the endpoint of its server: its command or its URL, or an endpoint that the program
/// chooses.
#[derive(Clone)]
pub(crate) struct Reach(Arc<ReachFn>);

impl Reach {
    pub(crate) fn new(
        reach: impl Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(reach))
    }

    pub(super) fn endpoint(&self, registration: &Registration) -> Result<Endpoint, ConfigurationError> {
        (self.0)(registration)
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reach")
    }
}
