//! The leased calls of one bucket.

use super::{BucketName, BucketRate, Lease, LeaseRequest, shortage::Shortage};
use std::{collections::VecDeque, time::Duration};
use tokio::time::Instant;

/// The time in which a leased call is used or returned, from the moment at which it was asked for.
pub(super) const LEASE: Duration = Duration::from_secs(2);

/// The time before the store is asked again for calls of a bucket that it had too few of.
const PAUSE: Duration = Duration::from_millis(100);

/// A lease that was used up in this time is followed by one of twice as many calls.
const SHORT: Duration = Duration::from_millis(500);

/// The leased calls of one bucket, and the bucket's state at the last answer of the store.
#[derive(Debug)]
pub(super) struct LeasedCalls {
    rate: BucketRate,
    /// The oldest first. A second one is leased before the first one is used up.
    batches: VecDeque<Batch>,
    /// The number of calls to lease at once.
    size: u32,
    /// The time at which calls were asked for last.
    asked_at: Option<Instant>,
    /// The time before which the store is not asked for calls.
    asks_from: Instant,
    /// The time until which a dry run is judged by `full_at`.
    known_until: Instant,
    /// The time at which the bucket is full.
    full_at: Instant,
    /// The number of calls that wait for the store.
    waiting: u32,
    /// True if calls are to be leased before they are needed.
    refills: bool,
    is_queued: bool,
    /// The number of calls that were not used in time and are not returned yet.
    unused: u32,
    /// The number of calls that were made without the store, and the time of the first one. They are not reported yet.
    spent: u32,
    spent_from: Option<Instant>,
}

#[derive(Debug)]
struct Batch {
    calls: u32,
    until: Instant,
}

/// The origin of a call that was taken, by which it is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::limits) enum TakenCall {
    /// A lease, with its end.
    Lease(Instant),
    /// The part of this kernel while the store is away, of so many kernels.
    Share(u32),
}

impl LeasedCalls {
    /// Creates the state of a bucket of which nothing is known: it counts as full.
    pub(super) fn new(rate: BucketRate, now: Instant) -> Self {
        Self {
            rate,
            batches: VecDeque::new(),
            size: 1,
            asked_at: None,
            asks_from: now,
            known_until: now,
            full_at: now,
            waiting: 0,
            refills: false,
            is_queued: false,
            unused: 0,
            spent: 0,
            spent_from: None,
        }
    }

    /// Looks for a leased call.
    ///
    /// # Errors
    /// [`Shortage`] if there is none.
    pub(super) fn look(&mut self, now: Instant, dry_run: bool) -> Result<(), Shortage> {
        if self.left(now) > 0 {
            return Ok(());
        }
        let wait = self.rate.wait(self.full_in(now), self.rate.time(1));
        if dry_run && now < self.known_until {
            return if wait.is_zero() { Ok(()) } else { Err(Shortage::Wait(wait)) };
        }
        if now < self.asks_from {
            return Err(Shortage::Wait(wait.max(self.asks_from - now)));
        }
        Err(Shortage::Unleased)
    }

    /// Takes a leased call.
    ///
    /// # Errors
    /// [`Shortage`] if there is none.
    pub(super) fn take(&mut self, now: Instant) -> Result<TakenCall, Shortage> {
        self.look(now, false)?;
        let taken = self.take_leased(now).ok_or(Shortage::Unleased)?;
        let is_low = self.size > 1 && self.left(now) < self.size.div_ceil(2);
        self.refills |= is_low && self.batches.len() < 2 && now >= self.asks_from;
        Ok(taken)
    }

    /// Returns whether others should be leased before they are needed.
    pub(super) fn refills(&self) -> bool {
        self.refills
    }

    fn take_leased(&mut self, now: Instant) -> Option<TakenCall> {
        if self.left(now) == 0 {
            return None;
        }
        let batch = self.batches.front_mut()?;
        batch.calls -= 1;
        Some(TakenCall::Lease(batch.until))
    }

    /// Puts back a call that was taken and not made. A call whose lease has ended meanwhile is returned to the store.
    pub(super) fn put_back(&mut self, taken: TakenCall, now: Instant) {
        self.left(now);
        match taken {
            TakenCall::Lease(until) => match self.batches.iter_mut().find(|batch| batch.until == until) {
                Some(batch) => batch.calls += 1,
                None => self.unused = self.unused.saturating_add(1),
            },
            // If the store has learnt of the call by now, its next answer has it counted.
            TakenCall::Share(kernels) => {
                self.spent = self.spent.saturating_sub(1);
                self.full_at -= self.rate.time(kernels).min(self.full_in(now));
            }
        }
    }

    /// Looks whether a call can be made while the store is away: one of the part of this kernel, of several that share the bucket. Each
    /// kernel has its own copy of the bucket, from which one call takes as many as there are kernels.
    ///
    /// # Errors
    /// The time after which the call can be made.
    pub(super) fn look_at_share(&mut self, now: Instant, kernels: u32) -> Result<(), Duration> {
        if self.left(now) > 0 {
            return Ok(());
        }
        let wait = self.rate.wait(self.full_in(now), self.rate.time(kernels));
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    /// Makes a call while the store is away.
    ///
    /// # Errors
    /// Those of [`look_at_share`](Self::look_at_share).
    pub(super) fn take_share(&mut self, now: Instant, kernels: u32) -> Result<TakenCall, Duration> {
        self.look_at_share(now, kernels)?;
        if let Some(taken) = self.take_leased(now) {
            return Ok(taken);
        }
        self.full_at = now + self.full_in(now) + self.rate.time(kernels);
        self.spent = self.spent.saturating_add(1);
        self.spent_from.get_or_insert(now);
        Ok(TakenCall::Share(kernels))
    }

    /// Notes that a number of calls wait for the store: none if only a dry run does.
    pub(super) fn wait(&mut self, calls: u32) {
        self.waiting = self.waiting.saturating_add(calls);
    }

    /// Marks the bucket as queued for a request. Returns `false` if it already was.
    pub(super) fn queue(&mut self) -> bool {
        !std::mem::replace(&mut self.is_queued, true)
    }

    /// Returns whether the store has to learn of calls that were not used, or that were made without it.
    pub(super) fn is_owing(&mut self, now: Instant) -> bool {
        self.left(now);
        self.unused > 0 || self.spent > 0
    }

    /// Returns whether nothing is known of the bucket that an unknown bucket does not have.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        let is_waiting = self.is_queued || self.waiting > 0 || self.unused > 0 || self.spent > 0;
        !is_waiting && self.batches.is_empty() && now >= self.asks_from.max(self.full_at)
    }

    /// Returns the request for the store.
    pub(super) fn request(&mut self, bucket: BucketName, now: Instant) -> LeaseRequest {
        self.left(now);
        let mut wanted = 0;
        if self.waiting > 0 || self.refills {
            if self.asked_at.is_some_and(|asked| now - asked < SHORT) {
                self.size = self.size.saturating_mul(2).min(self.rate.largest_lease());
            }
            wanted = self.size.max(self.waiting);
            self.asked_at = Some(now);
        }
        LeaseRequest {
            bucket,
            rate: self.rate,
            wanted,
            returned: std::mem::take(&mut self.unused),
            spent: self.spent,
            spent_for: self.spent_from.map_or(Duration::ZERO, |from| now - from),
        }
    }

    /// Adds the calls that were leased by a request of `asked`.
    pub(super) fn add(&mut self, request: &LeaseRequest, lease: &Lease, asked: Instant, now: Instant) {
        self.fail();
        self.spent = self.spent.saturating_sub(request.spent);
        self.spent_from = (self.spent > 0).then_some(now);
        self.full_at = now + lease.full_in;
        self.known_until = now + PAUSE;
        if lease.calls > 0 {
            self.batches.push_back(Batch { calls: lease.calls, until: asked + LEASE });
        }
        if lease.calls < request.wanted {
            self.asks_from = now + PAUSE.max(self.rate.wait(lease.full_in, self.rate.time(1)));
        }
    }

    /// Ends a request. The calls that wait ask again, or take the place of those that they waited for.
    pub(super) fn fail(&mut self) {
        (self.is_queued, self.refills, self.waiting) = (false, false, 0);
    }

    /// Returns the number of leased calls. Those that are too old are to be returned.
    fn left(&mut self, now: Instant) -> u32 {
        while let Some(batch) = self.batches.front()
            && (batch.until <= now || batch.calls == 0 && self.batches.len() > 1)
        {
            self.size = self.size.saturating_sub(batch.calls).max(1);
            self.unused = self.unused.saturating_add(batch.calls);
            self.batches.pop_front();
        }
        self.batches.iter().map(|batch| batch.calls).sum()
    }

    fn full_in(&self, now: Instant) -> Duration {
        self.full_at.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leased(calls: u32, now: Instant) -> LeasedCalls {
        let [per_minute, burst] = [60, 40].map(|number| std::num::NonZeroU32::new(number).unwrap());
        let rate = BucketRate::new(per_minute, burst);
        let mut leased = LeasedCalls::new(rate, now);
        leased.wait(calls);
        let request = leased.request(BucketName::default(), now);
        leased.add(&request, &Lease { calls, full_in: rate.time(calls) }, now, now);
        leased
    }

    #[tokio::test]
    async fn a_call_that_is_put_back_can_be_taken_again() {
        let now = Instant::now();
        let mut calls = leased(1, now);
        let taken = calls.take(now).unwrap();
        assert!(calls.take(now).is_err());
        calls.put_back(taken, now);
        assert!(calls.take(now).is_ok() && calls.take(now).is_err());
    }

    #[tokio::test]
    async fn a_call_of_an_ended_lease_is_returned_to_the_store() {
        let now = Instant::now();
        let (later, end) = (now + LEASE / 2, now + LEASE);
        let mut calls = leased(1, now);
        let taken = calls.take(now).unwrap();
        // A second lease, which outlives the first one.
        let second = calls.request(BucketName::default(), later);
        calls.add(&second, &Lease { calls: 1, full_in: Duration::ZERO }, later, later);
        calls.put_back(taken, end);
        assert!(calls.is_owing(end));
        assert!(calls.take(end).is_ok() && calls.take(end).is_err(), "only the second lease counts");
        assert_eq!(calls.request(BucketName::default(), end).returned, 1);
    }

    #[tokio::test]
    async fn a_call_made_without_the_store_is_put_back() {
        let now = Instant::now();
        let [per_minute, burst] = [60, 2].map(|number| std::num::NonZeroU32::new(number).unwrap());
        let mut calls = LeasedCalls::new(BucketRate::new(per_minute, burst), now);
        let taken = calls.take_share(now, 2).unwrap();
        assert!(calls.take_share(now, 2).is_err());
        calls.put_back(taken, now);
        assert!(calls.take_share(now, 2).is_ok());
        assert_eq!(calls.request(BucketName::default(), now).spent, 1);
    }

    #[tokio::test]
    async fn a_lease_counts_from_the_time_it_was_asked_for() {
        let now = Instant::now();
        let mut calls = leased(3, now);
        calls.take(now).unwrap();
        assert!(calls.look(now + LEASE - Duration::from_millis(1), false).is_ok());
        assert!(matches!(calls.look(now + LEASE, false), Err(Shortage::Unleased)));
        assert_eq!(calls.request(BucketName::default(), now + LEASE).returned, 2);
        // The answer was late.
        let mut calls = leased(3, now);
        let request = calls.request(BucketName::default(), now);
        calls.add(&request, &Lease { calls: 9, full_in: Duration::ZERO }, now, now + LEASE);
        assert!(calls.look(now + LEASE, false).is_err());
        assert_eq!(calls.request(BucketName::default(), now + LEASE).returned, 12);
    }
}
