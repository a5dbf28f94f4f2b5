//! Tests of the fetching of keys, and of their lifetime.

use super::*;
use async_trait::async_trait;
use http::{Request, Response};
use mgp_transport::seam::{Fetch, FetchError};
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::advance;

/// Answers with a number of keys, or not at all.
#[derive(Debug, Default)]
struct Publisher {
    asked: AtomicUsize,
    keys: Mutex<Option<usize>>,
}

#[async_trait]
impl Fetch for Publisher {
    async fn fetch(&self, request: Request<String>, _: usize) -> Result<Response<Vec<u8>>, FetchError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        assert_eq!(request.uri(), "https://a.example/keys");
        let keys = *self.keys.lock();
        let Some(keys) = keys else { return std::future::pending().await };
        let key = r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#;
        Ok(Response::new(format!(r#"{{"keys":[{}]}}"#, vec![key; keys].join(",")).into_bytes()))
    }
}

const TIMES: KeyTimes = KeyTimes {
    refresh: Duration::from_secs(100),
    expire: Duration::from_secs(1000),
    interval: Duration::from_secs(10),
    limit: Duration::from_secs(5),
};

fn cache() -> (KeyCache, Arc<Publisher>) {
    let publisher = Arc::new(Publisher::default());
    let cache = KeyCache::new(Source::Url("https://a.example/keys".into()), Some(publisher.clone()), TIMES);
    (cache, publisher)
}

impl Publisher {
    fn publish(&self, keys: impl Into<Option<usize>>) {
        *self.keys.lock() = keys.into();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Returns `Ok` if the cache has at least `keys` keys, fetching them if that is due.
async fn has(cache: &KeyCache, keys: usize) -> Result<(), NoKey> {
    cache.judge(|set| (set.len() >= keys).then_some(true)).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_missing_key_is_looked_up_once_per_interval() {
    let (cache, publisher) = cache();
    publisher.publish(1);
    assert_eq!(has(&cache, 1).await, Ok(()));
    publisher.publish(2);
    for _ in 0..5 {
        assert_eq!(has(&cache, 2).await, Err(NoKey::Unknown));
    }
    assert_eq!(publisher.asked(), 1);
    advance(TIMES.interval).await;
    assert_eq!(has(&cache, 2).await, Ok(()));
    assert_eq!(publisher.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn old_keys_serve_for_a_while_during_a_refresh() {
    let (cache, publisher) = cache();
    publisher.publish(1);
    assert_eq!(has(&cache, 1).await, Ok(()));
    publisher.publish(None);
    advance(TIMES.refresh + Duration::from_secs(1)).await;
    assert_eq!(has(&cache, 1).await, Ok(()));
    tokio::task::yield_now().await;
    assert_eq!(publisher.asked(), 2);
    advance(TIMES.expire).await;
    assert_eq!(has(&cache, 1).await, Err(NoKey::Unavailable));
    publisher.publish(1);
    advance(TIMES.interval).await;
    assert_eq!(has(&cache, 1).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_hanging_fetch_is_given_up_and_no_caller_ends_one() {
    let (cache, publisher) = cache();
    let left = tokio::time::timeout(Duration::from_secs(1), has(&cache, 1)).await;
    assert!(left.is_err());
    // The same fetch is waited for, and given up at its limit.
    assert_eq!(has(&cache, 1).await, Err(NoKey::Unavailable));
    assert_eq!(publisher.asked(), 1);
    publisher.publish(1);
    assert_eq!(has(&cache, 1).await, Err(NoKey::Unavailable));
    advance(TIMES.interval).await;
    assert_eq!(has(&cache, 1).await, Ok(()));
}

/// Judges a signature that is valid for a set of exactly `keys` keys, and invalid for every other set, as for a token without a key id.
async fn signed_by(cache: &KeyCache, keys: usize) -> Result<bool, NoKey> {
    cache.judge(|set| Some(set.len() == keys)).await
}

#[tokio::test(start_paused = true)]
async fn a_wrong_signature_refetches_old_keys_once_per_interval() {
    let (cache, publisher) = cache();
    publisher.publish(1);
    assert_eq!(signed_by(&cache, 1).await, Ok(true));
    publisher.publish(2);
    for _ in 0..5 {
        assert_eq!(signed_by(&cache, 2).await, Ok(false), "keys this young are not doubted");
    }
    assert_eq!(publisher.asked(), 1);
    advance(TIMES.interval).await;
    assert_eq!(signed_by(&cache, 2).await, Ok(true));
    for _ in 0..5 {
        assert_eq!(signed_by(&cache, 3).await, Ok(false));
    }
    assert_eq!(publisher.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn keys_that_cannot_be_refetched_decide_on_a_signature() {
    let (cache, publisher) = cache();
    publisher.publish(1);
    assert_eq!(signed_by(&cache, 1).await, Ok(true));
    publisher.publish(None);
    advance(TIMES.interval).await;
    assert_eq!(signed_by(&cache, 2).await, Ok(false));
    assert_eq!(signed_by(&cache, 1).await, Ok(true));
    assert_eq!(publisher.asked(), 2);
}
