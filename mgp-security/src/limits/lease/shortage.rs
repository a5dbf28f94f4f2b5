//! The reasons for which no call can be taken.

use mgp_store::StoreError;
use std::{sync::Arc, time::Duration};

/// The reason for which no call can be taken from a bucket.
#[derive(Debug)]
pub(in crate::limits) enum Shortage {
    /// The bucket is empty. The time after which it has a call.
    Wait(Duration),
    /// No call is leased, and the store has to be asked.
    Unleased,
    /// The store cannot be asked.
    Away(Arc<StoreError>),
}
