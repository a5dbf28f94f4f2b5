//! The permissions that the configuration approves.

use crate::{KernelError, ServerSpec};
use mgp_security::permission::PermissionRules;
use mgp_types::permission::Permission;

/// Adds the approvals of the configuration to the rules.
pub(super) fn approved(
    mut rules: PermissionRules,
    servers: &[ServerSpec],
) -> Result<PermissionRules, KernelError> {
    for server in servers {
        for name in &server.approved {
            let permissions = Permission::expand(name).map_err(|error| KernelError::Permission {
                server: server.id.clone(),
                reason: error.to_string(),
            })?;
            for permission in permissions {
                rules = rules.approve(&server.id, permission);
            }
        }
    }
    Ok(rules)
}
