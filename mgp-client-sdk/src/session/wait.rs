//! Waits until a time.

use std::future::pending;
use tokio::time::{Instant, sleep_until};

/// Waits until a time; forever if there is none.
pub(super) async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}
