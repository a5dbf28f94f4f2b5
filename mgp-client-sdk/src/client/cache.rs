//! A cache of results that the server allows clients to keep (the stateless era's `ttlMs`): lists and read resources.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        CacheHint, Discover, ListPrompts, ListResourceTemplates, ListResources, ListTools, PromptListChanged,
        ReadResource, ResourceListChanged, ResourceUpdated, ToolListChanged,
    },
    rpc::{Call, Notice, RawResult},
};
use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The maximum time for which a result is cached, whatever the server allows.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// The overhead of a cached result in addition to its text, in bytes.
const EACH: usize = 256;

/// A cache of results that the server allows clients to keep. Clones share the same cache.
///
/// The cache belongs to one client with one authorization, so it also keeps results that are limited to that authorization.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    kept: Arc<Mutex<VecDeque<CacheEntry>>>,
    /// The maximum size of cached results, in bytes; 0 if nothing is cached.
    bytes: usize,
}

#[derive(Debug)]
struct CacheEntry {
    method: &'static str,
    /// The params of the request, compared as text: params that differ only in their notation do not share a result.
    params: RawJson,
    result: RawResult,
    until: Instant,
}

impl CacheEntry {
    fn len(&self) -> usize {
        self.params.as_bytes().len() + self.result.as_bytes().len() + EACH
    }
}

impl Cache {
    pub(super) fn new(bytes: usize) -> Self {
        Self { kept: Arc::default(), bytes }
    }

    /// Returns a result that has not expired.
    pub(super) fn get(&self, method: &str, params: &RawObject) -> Option<RawResult> {
        if self.bytes == 0 {
            return None;
        }
        let (params, now) = (params.to_json(), Instant::now());
        let kept = self.kept.lock();
        let found = kept.iter().find(|kept| kept.method == method && kept.params == params)?;
        (found.until > now).then(|| found.result.clone())
    }

    /// Keeps a result, if it may be kept. The oldest results are dropped to make room.
    pub(super) fn keep(&self, method: &'static str, params: &RawObject, result: &RawResult) {
        // `server/discover` is only sent as a ping, which must reach the server.
        if self.bytes == 0 || !CacheHint::is_carried_by(method) || method == Discover::METHOD {
            return;
        }
        let hint = RawObject::from_json(result).ok().and_then(|result| result.decode::<u64>("ttlMs").ok());
        let Some(ttl) = hint.flatten().filter(|ttl| *ttl > 0) else { return };
        let until = Instant::now() + Duration::from_millis(ttl).min(LONGEST);
        let new = CacheEntry { method, params: params.to_json(), result: result.clone(), until };
        let mut kept = self.kept.lock();
        kept.retain(|kept| !(kept.method == new.method && kept.params == new.params));
        kept.push_back(new);
        while kept.iter().map(CacheEntry::len).sum::<usize>() > self.bytes {
            kept.pop_front();
        }
    }

    /// Drops the results that a notification reports as changed.
    pub(super) fn hear(&self, method: &str) {
        match method {
            ToolListChanged::METHOD => self.forget(&[ListTools::METHOD]),
            PromptListChanged::METHOD => self.forget(&[ListPrompts::METHOD]),
            ResourceListChanged::METHOD => {
                self.forget(&[ListResources::METHOD, ListResourceTemplates::METHOD]);
            }
            ResourceUpdated::METHOD => self.forget(&[ReadResource::METHOD]),
            _ => {}
        }
    }

    /// Drops all results.
    pub(super) fn clear(&self) {
        self.kept.lock().clear();
    }

    /// Drops the results of methods.
    pub(super) fn forget(&self, methods: &[&str]) {
        self.kept.lock().retain(|kept| !methods.contains(&kept.method));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_is_cached_for_its_lifetime() {
        let (cache, none) = (Cache::new(10_000), RawObject::new());
        let result = list(r#"{"tools":[],"ttlMs":1000,"cacheScope":"private"}"#);
        cache.keep("tools/list", &none, &result);
        let page = RawObject::parse(r#"{"cursor":"2"}"#).unwrap();
        assert_eq!((cache.get("tools/list", &page), cache.get("prompts/list", &none)), (None, None));
        tokio::time::advance(Duration::from_millis(999)).await;
        assert_eq!(cache.get("tools/list", &none), Some(result));
        tokio::time::advance(Duration::from_millis(2)).await;
        assert_eq!(cache.get("tools/list", &none), None);
    }

    #[tokio::test]
    async fn uncacheable_results_are_skipped_and_the_oldest_evicted() {
        let (cache, none) = (Cache::new(2 * EACH + 150), RawObject::new());
        for result in ["{}", r#"{"ttlMs":0}"#, r#"{"ttlMs":-1}"#, r#"{"ttlMs":"9"}"#] {
            cache.keep("tools/list", &none, &list(result));
            assert_eq!(cache.get("tools/list", &none), None, "{result}");
        }
        let result = list(r#"{"ttlMs":60000}"#);
        cache.keep("tools/call", &none, &result);
        cache.keep("server/discover", &none, &result);
        assert!(cache.kept.lock().is_empty());
        for method in ["tools/list", "prompts/list", "resources/list"] {
            cache.keep(method, &none, &result);
        }
        let kept =
            ["tools/list", "prompts/list", "resources/list"].map(|method| cache.get(method, &none).is_some());
        assert_eq!(kept, [false, true, true]);
        cache.hear("notifications/prompts/list_changed");
        assert!(cache.get("prompts/list", &none).is_none() && cache.get("resources/list", &none).is_some());
        let nothing = Cache::default();
        nothing.keep("tools/list", &none, &result);
        assert_eq!(nothing.get("tools/list", &none), None);
    }
}
