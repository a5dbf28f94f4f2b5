//! The stores of a kernel's state.

use super::reference_store::ReferenceStore;
use mgp_discovery::{
    listing::ListingStore,
    registration::{RegistrationStore, SqlRegistrationStore},
};
use mgp_lifecycle::{
    idempotency::{IdempotencyStore, SqlIdempotencyStore},
    transaction::{SqlTransactionStore, TransactionStore},
};
use mgp_security::{
    definition::{DefinitionStore, SqlDefinitionStore},
    limits::{
        lease::LeaseStore,
        quota::{QuotaStore, SqlQuotaStore},
    },
    permission::{ConfirmationStore, PermissionStore, SqlPermissionStore},
};
use mgp_store::sql::SqlStore;
use std::sync::Arc;

/// The stores of a kernel's state. By default, state is kept in memory, and lost when the kernel ends. Kernels that use the same files share
/// their state. [`StateFolder::stores`](crate::StateFolder::stores) opens those of a folder.
///
/// ```
/// use mgp_kernel::{Kernel, StateFolder, Stores};
/// use std::sync::Arc;
///
/// # let folder = tempfile::tempdir()?;
/// let state = StateFolder::open(folder.path())?;
/// let quotas = Arc::new(state.quotas()?);
/// let kernel = Kernel::builder().stores(Stores { quotas, ..Stores::default() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stores {
    /// The decisions on permissions.
    pub permissions: Arc<dyn PermissionStore>,
    /// The questions about calls, and their answers.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// The pinned definitions of tools.
    pub definitions: Arc<dyn DefinitionStore>,
    /// The last listings of servers. With them, tools, resources and prompts are known before their servers have started, and while lazy
    /// servers are not running. Without the store, each kernel starts lazy servers once to list their tools.
    pub listings: Option<Arc<dyn ListingStore>>,
    /// The calls with an idempotency key.
    pub idempotency: Arc<dyn IdempotencyStore>,
    /// The transactions. A kernel continues the rollbacks in the store when it starts.
    pub transactions: Arc<dyn TransactionStore>,
    /// The servers that are registered while the kernel runs. The servers in the store are started with the kernel.
    pub registrations: Arc<dyn RegistrationStore>,
    /// The used quotas.
    pub quotas: Arc<dyn QuotaStore>,
    /// The buckets of the limits on calls a minute, which several kernels share. Without the store, each kernel counts for itself.
    pub limits: Option<Arc<dyn LeaseStore>>,
    /// The kept results that several kernels share. Without the store, only the kernel that kept a result has it.
    pub references: Option<Arc<dyn ReferenceStore>>,
}

impl Default for Stores {
    fn default() -> Self {
        let decisions = Arc::new(SqlPermissionStore::in_memory());
        Self {
            permissions: decisions.clone(),
            confirmations: decisions,
            definitions: Arc::new(SqlDefinitionStore::in_memory()),
            listings: None,
            idempotency: Arc::new(SqlIdempotencyStore::in_memory()),
            transactions: Arc::new(SqlTransactionStore::in_memory()),
            registrations: Arc::new(SqlRegistrationStore::in_memory()),
            quotas: Arc::new(SqlQuotaStore::in_memory()),
            limits: None,
            references: None,
        }
    }
}
