//! The proofs that were used, so that none is accepted twice.

use parking_lot::Mutex;
use std::{
    collections::HashSet,
    mem,
    time::{Duration, SystemTime},
};

/// The time for which a proof is remembered at least. No proof is valid for longer.
const REMEMBERED: Duration = Duration::from_secs(600);
/// The most proofs that each of the two sets holds.
const MAX_PROOFS: usize = 100_000;

/// The proofs that were used. There are two sets: the newer one becomes the older one after the time for which a proof is remembered, or when
/// it is full.
#[derive(Debug, Default)]
pub(in super::super) struct UsedProofs(Mutex<Sets>);

#[derive(Debug, Default)]
struct Sets {
    newer: HashSet<[u8; 32]>,
    older: HashSet<[u8; 32]>,
    /// The beginning of the newer set.
    since: Option<SystemTime>,
}

impl UsedProofs {
    /// Records a proof by its digest. Returns `false` if it was used before.
    pub(super) fn record(&self, proof: [u8; 32], now: SystemTime) -> bool {
        let mut sets = self.0.lock();
        let since = *sets.since.get_or_insert(now);
        let is_old = now.duration_since(since).is_ok_and(|passed| passed >= REMEMBERED);
        if is_old || sets.newer.len() >= MAX_PROOFS {
            sets.older = mem::take(&mut sets.newer);
            sets.since = Some(now);
        }
        !sets.older.contains(&proof) && sets.newer.insert(proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_used_once_while_it_could_be_valid() {
        let (used, start) = (UsedProofs::default(), SystemTime::UNIX_EPOCH);
        assert!(used.record([1; 32], start) && !used.record([1; 32], start));
        for seconds in [1, 599, 600, 601, 1199] {
            assert!(!used.record([1; 32], start + Duration::from_secs(seconds)), "{seconds}");
        }
        assert!(used.record([1; 32], start + Duration::from_secs(1201)));
    }

    #[test]
    fn the_memory_of_proofs_is_bounded() {
        let used = UsedProofs::default();
        for n in 0..(3 * MAX_PROOFS as u64) {
            let mut proof = [0; 32];
            proof[..8].copy_from_slice(&n.to_be_bytes());
            assert!(used.record(proof, SystemTime::UNIX_EPOCH));
        }
        let sets = used.0.lock();
        assert!(sets.newer.len() <= MAX_PROOFS && sets.older.len() <= MAX_PROOFS);
    }
}
