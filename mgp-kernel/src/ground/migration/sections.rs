//! The sections that a migration copies.

use mgp_discovery::{listing::SqlListingStore, registration::SqlRegistrationStore};
use mgp_lifecycle::{idempotency::SqlIdempotencyStore, transaction::SqlTransactionStore};
use mgp_security::{
    access::SqlAccessStore, definition::SqlDefinitionStore, keys::SqlKeyStore, limits::quota::SqlQuotaStore,
    permission::SqlPermissionStore,
};
use mgp_store::sql::{Schema, SqlStore};

/// The tables of all sections that a folder and a database can keep, in the order in which they are copied.
pub(super) const SECTIONS: [&Schema; 9] = [
    SqlAccessStore::SCHEMA,
    SqlDefinitionStore::SCHEMA,
    SqlIdempotencyStore::SCHEMA,
    SqlKeyStore::SCHEMA,
    SqlListingStore::SCHEMA,
    SqlPermissionStore::SCHEMA,
    SqlQuotaStore::SCHEMA,
    SqlRegistrationStore::SCHEMA,
    SqlTransactionStore::SCHEMA,
];

/// The parts of a state folder that a migration leaves where they are.
pub const NOT_MIGRATED: [&str; 5] = [
    "the vectors of tools (index.sqlite3), which are computed again",
    "logs",
    "references",
    "secrets",
    "the servers' private folders",
];
