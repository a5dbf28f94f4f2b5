//! A cache of recent answers about tokens, bounded in size and in time.

use parking_lot::Mutex;
use std::collections::HashMap;
use tokio::time::Instant;

/// The SHA-256 of a token: tokens themselves are not kept.
pub(super) type Digest = [u8; 32];

/// A cache of recent answers about tokens, bounded in size and in time.
pub(super) struct TokenCache<T> {
    entries: Mutex<HashMap<Digest, (T, Instant)>>,
    room: usize,
}

impl<T: Clone> TokenCache<T> {
    pub(super) fn new(room: usize) -> Self {
        Self { entries: Mutex::default(), room }
    }

    pub(super) fn get(&self, token: &Digest) -> Option<T> {
        let entries = self.entries.lock();
        let (value, until) = entries.get(token)?;
        (Instant::now() < *until).then(|| value.clone())
    }

    /// Remembers an answer until a point in time. If the cache is full, the expired answers are dropped, and if that is not
    /// enough, all of them: each can be queried again.
    pub(super) fn insert(&self, token: Digest, value: T, until: Instant) {
        if self.room == 0 {
            return;
        }
        let mut entries = self.entries.lock();
        if entries.len() >= self.room && !entries.contains_key(&token) {
            let now = Instant::now();
            entries.retain(|_, (_, until)| now < *until);
            if entries.len() >= self.room {
                entries.clear();
            }
        }
        entries.insert(token, (value, until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn cached_tokens_expire_and_are_bounded() {
        let remembered = TokenCache::new(2);
        let later = |seconds| Instant::now() + Duration::from_secs(seconds);
        remembered.insert([1; 32], "one", later(10));
        remembered.insert([2; 32], "two", later(30));
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!((remembered.get(&[1; 32]), remembered.get(&[2; 32])), (None, Some("two")));
        // Expired answers make room.
        remembered.insert([3; 32], "three", later(30));
        assert_eq!((remembered.get(&[2; 32]), remembered.get(&[3; 32])), (Some("two"), Some("three")));
        remembered.insert([4; 32], "four", later(30));
        assert_eq!(remembered.entries.lock().len(), 1);
        assert_eq!(remembered.get(&[4; 32]), Some("four"));
    }
}
