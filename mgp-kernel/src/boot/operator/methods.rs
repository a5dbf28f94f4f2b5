//! The methods, for callers with the admin role.

use super::{control::control, report};
use crate::boot::core::Core;
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::lifecycle::{ControlServer, ReportKernel};
use std::sync::Arc;

/// Returns the methods.
pub(crate) fn routes() -> Routes<Arc<Core>> {
    Routes::new()
        .route(ReportKernel, Role::Admin, async |core: Arc<Core>, message| {
            let params = message.params.decode()?;
            Ok(Reply::from_value(&report::of(&core, params, message.peer()).await))
        })
        .typed(ControlServer, Role::Admin, control)
}
