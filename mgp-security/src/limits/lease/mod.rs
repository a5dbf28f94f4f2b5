//! Limits that several kernels hold together: their buckets are in a store, and each kernel leases calls from them.
//!
//! A call takes a leased call, without the store. Where none is left, it waits once for the store, which leases as many calls as the kernel
//! used lately. Leased calls that are not used within two seconds return to their bucket, so the calls of all kernels within any time
//! are at most those that one bucket allows in this time and two seconds.
//!
//! | file | contents |
//! |---|---|
//! | `rate.rs` | the arithmetic of a bucket |
//! | `request.rs` | a request for calls, and its effect on a bucket |
//! | `store.rs`, `sql.rs` | the store of buckets |
//! | `calls.rs` | the leased calls of one bucket |
//! | `leases.rs` | the leased calls of one rule |
//! | `sharing.rs` | the parts that all rules of a kernel share |
//! | `shortage.rs` | the reasons for which no call can be taken |
//! | `task.rs` | the task that asks the store |

mod calls;
mod leases;
mod rate;
mod request;
mod sharing;
mod shortage;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
mod task;

pub(super) use calls::TakenCall;
pub(super) use leases::Leases;
pub use rate::BucketRate;
pub use request::{Lease, LeaseRequest};
pub(super) use sharing::{ANSWER, SharedStore};
pub(super) use shortage::Shortage;
pub use store::{BucketName, LeaseStore, MAX_SHARED_BUCKETS};
#[cfg(feature = "sqlite")]
pub use {mgp_store::sql::SqlStore, sql::SqlLeaseStore};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
