//! The questions that wait for a decision of the operator.

use crate::{error::CliError, setup::Setup};
use mgp_kernel::Registrar;
use mgp_security::{
    audit::AuditLog,
    definition::Definitions,
    permission::{Confirmations, Permissions},
};

/// Everything that needs a decision of the operator.
pub(super) struct Queue {
    pub(super) permissions: Permissions,
    pub(super) confirmations: Confirmations,
    pub(super) registrar: Registrar,
    pub(super) definitions: Definitions,
}

impl Queue {
    /// Opens the open questions in the state folder.
    pub(super) async fn open(setup: &Setup, log: &AuditLog) -> Result<Self, CliError> {
        Ok(Self {
            permissions: setup.permissions(log).await?,
            confirmations: setup.confirmations(log)?,
            registrar: setup.registrar(log).await?,
            definitions: setup.definitions(log).await?,
        })
    }
}
