//! The stores of a kernel's state.

use mgp_discovery::{
    listing::ListingStore,
    registration::{MemoryRegistrationStore, RegistrationStore},
};
use mgp_lifecycle::{
    idempotency::{IdempotencyStore, MemoryIdempotencyStore},
    transaction::{MemoryTransactionStore, TransactionStore},
};
use mgp_security::{
    definition::{DefinitionStore, MemoryDefinitionStore},
    limits::quota::{MemoryQuotaStore, QuotaStore},
    permission::{ConfirmationStore, MemoryConfirmationStore, MemoryPermissionStore, PermissionStore},
};
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
}

impl Default for Stores {
    fn default() -> Self {
        Self {
            permissions: Arc::new(MemoryPermissionStore::default()),
            confirmations: Arc::new(MemoryConfirmationStore::default()),
            definitions: Arc::new(MemoryDefinitionStore::default()),
            listings: None,
            idempotency: Arc::new(MemoryIdempotencyStore::new()),
            transactions: Arc::new(MemoryTransactionStore::new()),
            registrations: Arc::new(MemoryRegistrationStore::new()),
            quotas: Arc::new(MemoryQuotaStore::new()),
        }
    }
}
