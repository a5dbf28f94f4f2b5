//! A store of used quotas in memory.

use super::{
    QuotaKey, QuotaShare, QuotaStore, SpendOutcome,
    store::{KEPT_DAYS, check_room},
};
use async_trait::async_trait;
use hashbrown::HashMap;
use jiff::civil::Date;
use mgp_store::StoreError;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// A store of quotas that lives as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryQuotaStore(Mutex<HashMap<(Date, QuotaKey), u64>>);

impl MemoryQuotaStore {
    /// Creates a store without used quotas.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl QuotaStore for MemoryQuotaStore {
    async fn spend(
        &self,
        day: Date,
        shares: Vec<QuotaShare>,
        units: u64,
    ) -> Result<SpendOutcome, StoreError> {
        let mut quotas = self.0.lock();
        let used = |share: &QuotaShare| quotas.get(&(day, share.key.clone())).copied();
        for (at, share) in shares.iter().enumerate() {
            let used = used(share).unwrap_or(0);
            if used.saturating_add(units) > share.limit {
                return Ok(SpendOutcome::Exhausted { at, used });
            }
        }
        let new = shares.iter().filter(|share| used(share).is_none()).count();
        if new > 0 {
            // Only here, because this reads every row.
            let others: BTreeSet<Date> = quotas.keys().map(|(of, _)| *of).filter(|of| *of != day).collect();
            let first_kept = others.into_iter().nth_back(KEPT_DAYS - 1);
            quotas.retain(|(of, _), _| *of == day || first_kept.is_none_or(|first| *of >= first));
            check_room(quotas.keys().filter(|(of, _)| *of == day).count(), new)?;
        }
        for share in shares {
            *quotas.entry((day, share.key)).or_default() += units;
        }
        Ok(SpendOutcome::Spent)
    }

    async fn give_back(&self, day: Date, keys: Vec<QuotaKey>, units: u64) -> Result<(), StoreError> {
        let mut quotas = self.0.lock();
        for key in keys {
            if let Some(used) = quotas.get_mut(&(day, key)) {
                *used = used.saturating_sub(units);
            }
        }
        Ok(())
    }

    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        let quotas = self.0.lock();
        Ok(keys.into_iter().map(|key| quotas.get(&(day, key)).copied().unwrap_or(0)).collect())
    }
}
