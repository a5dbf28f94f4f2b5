//! The comparison of answers, effects, reports and audit trails.

mod operations;
mod quotas;
mod rates;
mod rights;
mod sagas;
mod sessions;
mod trails;

pub(crate) use operations::{OperationCounts, operations};
pub(crate) use quotas::quotas;
pub(crate) use rates::{RateCounts, rates};
pub(crate) use rights::{RightsTimes, rights};
pub(crate) use sagas::{SagaCounts, sagas};
pub(crate) use sessions::{SessionTimes, sessions};
pub(crate) use trails::{Trails, trails};
