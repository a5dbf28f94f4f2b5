//! The task that asks the store.

use super::{leases::Leases, sharing::SharedStore};
use crate::limits::rule::BucketKey;
use std::{
    sync::{Arc, Weak, atomic::Ordering::Relaxed},
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// The interval at which the kernel renews its note in the store, and returns calls that were not used.
const RENEWAL: Duration = Duration::from_secs(2);

/// The pause before another attempt while the store is away.
const RETRY: Duration = Duration::from_millis(250);

/// The number of renewals from one removal of old entries to the next.
const RENEWALS_PER_SWEEP: u32 = 5;

/// The most buckets of one request, because other kernels wait for those that it locks.
const REQUEST: usize = 64;

/// Asks the store whenever buckets are queued, until the last handle is dropped.
pub(super) async fn keep(sharing: Weak<SharedStore>, wake: Arc<Notify>) {
    let mut renews_at = Instant::now();
    let mut renewals: u32 = 0;
    loop {
        tokio::select! {
            () = wake.notified() => {}
            () = sleep_until(renews_at) => {}
        }
        let Some(sharing) = sharing.upgrade() else { return };
        if Instant::now() >= renews_at {
            if renewals.is_multiple_of(RENEWALS_PER_SWEEP) {
                sweep(&sharing).await;
            }
            renewals = renewals.wrapping_add(1);
            renew(&sharing).await;
            renews_at = Instant::now() + if sharing.is_away() { RETRY } else { RENEWAL };
        }
        while lease(&sharing).await {}
    }
}

/// Renews the note of this kernel, and queues the buckets of which the store has to learn something.
async fn renew(sharing: &SharedStore) {
    let limits = sharing.limits();
    if limits.is_empty() {
        return;
    }
    let (store, kernel) = (sharing.store.clone(), sharing.kernel.clone());
    if let Some(kernels) = sharing.answer(async move { store.renew(&kernel).await }).await {
        sharing.kernels.store(kernels, Relaxed);
        limits.iter().for_each(Leases::settle);
    }
}

async fn sweep(sharing: &SharedStore) {
    if sharing.is_away() || sharing.limits().is_empty() {
        return;
    }
    let store = sharing.store.clone();
    sharing.answer(async move { store.sweep().await }).await;
}

/// Sends the request of queued buckets. Returns whether others are queued.
async fn lease(sharing: &SharedStore) -> bool {
    let queued: Vec<_> = {
        let mut queue = sharing.queue.lock();
        let count = queue.len().min(REQUEST);
        queue.drain(..count).collect()
    };
    let queued: Vec<(Arc<Leases>, BucketKey)> =
        queued.into_iter().filter_map(|(limit, bucket)| Some((limit.upgrade()?, bucket))).collect();
    if queued.is_empty() {
        return false;
    }
    let requests: Vec<_> = queued.iter().map(|(limit, bucket)| limit.request(bucket)).collect();
    let (store, asked, sent) = (sharing.store.clone(), Instant::now(), requests.clone());
    let leases = sharing.answer(async move { store.lease(sent).await }).await;
    match &leases {
        Some(leases) => {
            for (((limit, bucket), request), lease) in queued.iter().zip(&requests).zip(leases) {
                limit.add(bucket, request, lease, asked);
            }
        }
        None => {
            let others = std::mem::take(&mut *sharing.queue.lock());
            let others = others.iter().filter_map(|(limit, bucket)| Some((limit.upgrade()?, bucket)));
            others.for_each(|(limit, bucket)| limit.fail(bucket));
            queued.iter().for_each(|(limit, bucket)| limit.fail(bucket));
        }
    }
    sharing.answered.send_replace(());
    leases.is_some()
}
