//! The methods with which operators read the trail, above all for events that were not forwarded in time.

use crate::ground::trail::Trail;
use mgp_security::audit::AuditLog;
use mgp_transport::seam::Routes;
use std::sync::Arc;

/// Returns the methods of the audit trail, if it keeps its events.
pub(crate) fn routes() -> Routes<Arc<Trail>> {
    AuditLog::routes().map_state(|trail: &Arc<Trail>, _| Ok(trail.log.clone()))
}
