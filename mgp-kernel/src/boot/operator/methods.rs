//! The methods, for callers with the admin role.

use super::{control::control, report};
use crate::{
    catalog::tools::Tools,
    features::{instances::Instances, registration::RegisteredServers, tasks::TaskTable},
    ground::trail::Trail,
    host::{Hosts, parking::ParkingLayer},
    path::metrics::Traffic,
    rights::rights::Rights,
    upstream::servers::Servers,
};
use jiff::Timestamp;
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::lifecycle::{ControlServer, ReportKernel};
use parking_lot::Mutex;
use std::sync::Arc;

/// The parts of a kernel that its operator sees and commands.
pub(in crate::boot) struct OperatorHandles {
    pub(in crate::boot) trail: Arc<Trail>,
    pub(in crate::boot) rights: Arc<Rights>,
    pub(in crate::boot) servers: Arc<Servers>,
    pub(in crate::boot) instances: Instances,
    pub(in crate::boot) registered: Arc<RegisteredServers>,
    pub(in crate::boot) tools: Arc<Tools>,
    pub(in crate::boot) hosts: Hosts,
    pub(in crate::boot) tasks: Arc<TaskTable>,
    /// The calls of stateless hosts that wait for answers of their hosts.
    pub(in crate::boot) parking: ParkingLayer,
    /// The calls of the last minutes.
    pub(in crate::boot) traffic: Arc<Traffic>,
    pub(in crate::boot) facts: KernelFacts,
    /// The changed keys of the configuration that only a restart applies.
    pub(in crate::boot) needs_restart: Arc<Mutex<Vec<String>>>,
}

/// The facts about a kernel that do not change while it runs.
#[derive(Debug, Clone)]
pub(in crate::boot) struct KernelFacts {
    pub(in crate::boot) started_at: Timestamp,
    /// The name of the configuration, set by the program.
    pub(super) configuration: Option<String>,
}

impl KernelFacts {
    /// Returns the facts of a kernel that is starting now.
    pub(in crate::boot) fn now(configuration: Option<String>) -> Self {
        Self { started_at: Timestamp::now(), configuration }
    }
}

/// Returns the methods.
pub(in crate::boot) fn routes() -> Routes<Arc<OperatorHandles>> {
    Routes::new()
        .route(ReportKernel, Role::Admin, async |handles: Arc<OperatorHandles>, message| {
            let params = message.params.decode()?;
            Ok(Reply::from_value(&report::of(&handles, &params, message.peer()).await))
        })
        .typed(ControlServer, Role::Admin, control)
}
