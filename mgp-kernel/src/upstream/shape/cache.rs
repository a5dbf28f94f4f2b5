//! The kept results of one tool, which repeat an answer for a short time.

use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::ProtocolVersion,
    rpc::RawResult,
};
use parking_lot::Mutex;
use std::{collections::VecDeque, time::Duration};
use tokio::time::Instant;

/// The maximum number of results kept for one tool.
const MAX_ENTRIES: usize = 256;

/// The maximum number of bytes of the results kept for one tool.
const MAX_BYTES: usize = 4 << 20;

/// The call that a kept result answers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CacheKey {
    /// The SHA-256 of the arguments in their canonical form.
    pub(crate) arguments: [u8; 32],
    /// The form of the result: whether the host speaks MGP, whether it is stateless, and its revision.
    pub(crate) form: (bool, bool, ProtocolVersion),
    /// The caller, with the agents that it acts for and the scopes of its key.
    pub(crate) principal: Principal,
}

/// The kept results of one tool, oldest first. They end with the definition of the tool, because a new definition makes a new cache.
pub(crate) struct ResultCache {
    lifetime: Duration,
    kept: Mutex<KeptResults>,
}

#[derive(Default)]
struct KeptResults {
    results: VecDeque<KeptResult>,
    bytes: usize,
}

struct KeptResult {
    key: CacheKey,
    since: Instant,
    result: RawResult,
}

impl ResultCache {
    /// Returns an empty cache for the tool with this definition. `None` unless the definition says that the tool only reads.
    pub(super) fn of(definition: &RawJson, secs: Option<u64>) -> Option<Self> {
        let lifetime = Duration::from_secs(secs?);
        let annotations = RawObject::from_json(definition).ok()?.object("annotations")?;
        let reads_only = annotations.get("readOnlyHint").is_some_and(|hint| hint.as_str() == "true");
        reads_only.then(|| Self { lifetime, kept: Mutex::default() })
    }

    /// Returns the kept result of a call, and its age.
    pub(crate) fn get(&self, key: &CacheKey) -> Option<(RawResult, Duration)> {
        let mut kept = self.kept.lock();
        kept.drop_older(self.lifetime);
        let found = kept.results.iter().find(|entry| entry.key == *key)?;
        Some((found.result.clone(), found.since.elapsed()))
    }

    /// Keeps the result of a call. The oldest results make room. A result that is larger than the cache is not kept.
    pub(crate) fn put(&self, key: CacheKey, result: &RawResult) {
        let size = result.as_bytes().len();
        if size > MAX_BYTES {
            return;
        }
        // A copy, because the original may share the memory of a longer message.
        let Ok(result) = RawJson::parse(result.as_str().to_owned()) else { return };
        let mut kept = self.kept.lock();
        kept.drop_older(self.lifetime);
        if let Some(index) = kept.results.iter().position(|entry| entry.key == key) {
            kept.remove(index);
        }
        while kept.results.len() >= MAX_ENTRIES || kept.bytes + size > MAX_BYTES {
            kept.remove(0);
        }
        kept.bytes += size;
        kept.results.push_back(KeptResult { key, since: Instant::now(), result });
    }
}

impl KeptResults {
    fn drop_older(&mut self, lifetime: Duration) {
        while self.results.front().is_some_and(|oldest| oldest.since.elapsed() >= lifetime) {
            self.remove(0);
        }
    }

    fn remove(&mut self, index: usize) {
        if let Some(removed) = self.results.remove(index) {
            self.bytes -= removed.result.as_bytes().len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8, agent: &str) -> CacheKey {
        CacheKey {
            arguments: [number; 32],
            form: (false, false, ProtocolVersion::V2026_07_28),
            principal: Principal::agent(agent),
        }
    }

    fn cache() -> ResultCache {
        let definition = RawJson::parse(r#"{"annotations":{"readOnlyHint":true}}"#.to_owned()).unwrap();
        ResultCache::of(&definition, Some(10)).unwrap()
    }

    fn text(length: usize) -> RawJson {
        RawJson::string(&"x".repeat(length - 2))
    }

    #[test]
    fn only_tools_that_say_they_read_have_a_cache() {
        for definition in [
            "7",
            "{}",
            r#"{"annotations":null}"#,
            r#"{"annotations":{"readOnlyHint":false}}"#,
            r#"{"annotations":{"readOnlyHint":"true"}}"#,
        ] {
            let definition = RawJson::parse(definition.to_owned()).unwrap();
            assert!(ResultCache::of(&definition, Some(10)).is_none(), "{definition:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_is_kept_for_its_lifetime_and_its_key() {
        let cache = cache();
        cache.put(key(1, "a"), &text(3));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(cache.get(&key(1, "a")), Some((text(3), Duration::from_secs(9))));
        let mut other_form = key(1, "a");
        other_form.form.0 = true;
        for other in [key(2, "a"), key(1, "b"), other_form] {
            assert_eq!(cache.get(&other), None);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(cache.get(&key(1, "a")), None);
        assert_eq!(cache.kept.lock().bytes, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_results_make_room() {
        let cache = cache();
        for number in 0..=255 {
            cache.put(key(number, "a"), &text(3));
        }
        cache.put(key(0, "b"), &text(3));
        assert_eq!(cache.get(&key(0, "a")), None);
        assert!(cache.get(&key(1, "a")).is_some() && cache.get(&key(0, "b")).is_some());
        cache.put(key(0, "c"), &text(MAX_BYTES + 1));
        assert_eq!((cache.get(&key(0, "c")), cache.kept.lock().results.len()), (None, MAX_ENTRIES));
        cache.put(key(0, "d"), &text(MAX_BYTES));
        assert!(cache.get(&key(0, "d")).is_some());
        cache.put(key(0, "d"), &text(3));
        let kept = cache.kept.lock();
        assert_eq!((kept.results.len(), kept.bytes), (1, 3));
    }
}
