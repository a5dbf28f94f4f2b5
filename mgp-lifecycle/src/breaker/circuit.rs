//! The state of a circuit breaker.

use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The bounds of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// The number of failures in a row that open the breaker; 0 turns this off.
    pub failures: u32,
    /// The time for which calls are refused at first. It doubles each time that the next call fails, too.
    pub pause: Duration,
    /// The longest time that doubling leads to.
    pub max_pause: Duration,
}

/// The circuit breaker of one server. Clones share the same server.
///
/// The breaker opens when the last calls have all failed, or when the server reports that it is unhealthy. After a pause, one call is let
/// through. Its success closes the breaker; its failure opens the breaker for twice the time.
///
/// ```
/// use mgp_lifecycle::breaker::{BreakerPolicy, CircuitBreaker};
/// let breaker = CircuitBreaker::new("weather", BreakerPolicy { failures: 2, ..BreakerPolicy::default() });
/// for _ in 0..2 {
///     breaker.enter()?.failed();
/// }
/// let refused = breaker.enter().unwrap_err();
/// assert!(refused.to_string().starts_with("server \"weather\" did not answer 2 calls in a row"));
/// # Ok::<(), mgp_lifecycle::breaker::BreakerOpen>(())
/// ```
#[derive(Debug, Clone)]
pub struct CircuitBreaker(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server_id: Arc<str>,
    policy: BreakerPolicy,
    /// False while nothing has failed since the last success, so that a call takes no lock.
    is_troubled: AtomicBool,
    /// The number of successes. It distinguishes a failure during which the server answered other calls.
    successes: AtomicU64,
    /// The number of times that the breaker opened or closed. A call that began before the last change does not count.
    turns: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of failures since the last success.
    failures: u32,
    /// The end of the pause; `None` while the breaker is closed.
    until: Option<Instant>,
    /// The length of the last pause.
    pause: Duration,
    /// The time until which no further call tries the server, because one is in progress.
    trying_until: Option<Instant>,
    /// The time of the next health check, while the server reports that it is unhealthy.
    unhealthy_until: Option<Instant>,
}

/// A call that the breaker let through. Dropping it records no outcome.
#[derive(Debug)]
pub struct BreakerPass {
    breaker: CircuitBreaker,
    /// True if this call tries the server.
    is_trial: bool,
    turns: u64,
    successes: u64,
}

/// The refusal of a call by an open breaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerOpen {
    message: String,
    after: Duration,
}

/// The pause before a refused caller asks again while another call tries the server.
const WHILE_TRYING: Duration = Duration::from_secs(1);

impl CircuitBreaker {
    /// Creates a closed breaker.
    #[must_use]
    pub fn new(server_id: impl Into<Arc<str>>, policy: BreakerPolicy) -> Self {
        Self(Arc::new(Inner {
            server_id: server_id.into(),
            policy,
            is_troubled: AtomicBool::new(false),
            successes: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            state: Mutex::default(),
        }))
    }

    /// Lets a call through. Report its outcome with [`BreakerPass::succeeded`] or [`BreakerPass::failed`].
    ///
    /// # Errors
    /// [`BreakerOpen`] while the breaker is open.
    pub fn enter(&self) -> Result<BreakerPass, BreakerOpen> {
        let pass = |is_trial| BreakerPass {
            breaker: self.clone(),
            is_trial,
            turns: self.0.turns.load(Ordering::Relaxed),
            successes: self.0.successes.load(Ordering::Relaxed),
        };
        if !self.0.is_troubled.load(Ordering::Acquire) {
            return Ok(pass(false));
        }
        let now = Instant::now();
        let mut state = self.0.state.lock();
        let is_trial = self.judge(&state, now)?;
        if is_trial {
            // A call may take long: the next one need not wait for its end.
            state.trying_until = Some(now + state.pause.max(WHILE_TRYING));
        }
        Ok(pass(is_trial))
    }

    /// Returns whether a call would be let through now. Nothing is counted.
    ///
    /// # Errors
    /// As those of [`enter`](Self::enter).
    pub fn check(&self) -> Result<(), BreakerOpen> {
        if !self.0.is_troubled.load(Ordering::Acquire) {
            return Ok(());
        }
        self.judge(&self.0.state.lock(), Instant::now()).map(drop)
    }

    /// Returns whether a call that is let through now tries the server.
    fn judge(&self, state: &State, now: Instant) -> Result<bool, BreakerOpen> {
        if let Some(next_check) = state.unhealthy_until {
            let after = next_check.saturating_duration_since(now).max(WHILE_TRYING);
            return Err(self.open("reports that it is unhealthy; its health is checked again", after));
        }
        let Some(until) = state.until else { return Ok(false) };
        let left = until.saturating_duration_since(now);
        let is_tried = state.trying_until.is_some_and(|until| now < until);
        if left.is_zero() && !is_tried {
            return Ok(true);
        }
        let why = format!("did not answer {} calls in a row; it is tried again", state.failures);
        Err(self.open(&why, if left.is_zero() { WHILE_TRYING } else { left }))
    }

    fn open(&self, why: &str, after: Duration) -> BreakerOpen {
        let message = format!("server {:?} {why} in {} ms", self.0.server_id, after.as_millis());
        BreakerOpen { message, after }
    }

    fn succeeded(&self) {
        self.0.successes.fetch_add(1, Ordering::Relaxed);
        if !self.0.is_troubled.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.0.state.lock();
        (state.failures, state.pause, state.trying_until) = (0, Duration::ZERO, None);
        if state.until.take().is_some() {
            self.turn();
            tracing::info!(server = &*self.0.server_id, "the server works again: its calls are let through");
        }
        self.settle(&state);
    }

    fn failed(&self, pass: &BreakerPass) {
        let Inner { policy, server_id, is_troubled, successes, .. } = &*self.0;
        // The server answered other calls meanwhile: only this one took too long.
        if policy.failures == 0 || successes.load(Ordering::Relaxed) != pass.successes {
            return;
        }
        let mut state = self.0.state.lock();
        if !pass.is_of_this_turn() {
            return;
        }
        state.failures = state.failures.saturating_add(1);
        is_troubled.store(true, Ordering::Release);
        if state.failures < policy.failures {
            return;
        }
        state.pause = match state.pause {
            Duration::ZERO => policy.pause,
            pause => pause.saturating_mul(2).min(policy.max_pause),
        };
        state.until = Some(Instant::now() + state.pause);
        self.turn();
        state.trying_until = None;
        tracing::warn!(
            server = &**server_id,
            failures = state.failures,
            pause = ?state.pause,
            "the server does not answer: its calls are refused for a while"
        );
    }

    /// Records that the server reported itself as unhealthy until the time of the next check, or as no longer unhealthy.
    pub fn set_unhealthy(&self, next_check: Option<Instant>) {
        if next_check.is_none() && !self.0.is_troubled.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.0.state.lock();
        let before = std::mem::replace(&mut state.unhealthy_until, next_check);
        match (before, next_check) {
            (None, Some(_)) => {
                tracing::warn!(server = &*self.0.server_id, "the server is unhealthy: its calls are refused");
            }
            (Some(_), None) => {
                tracing::info!(server = &*self.0.server_id, "the server is no longer unhealthy");
            }
            _ => {}
        }
        self.settle(&state);
    }

    /// Clears the state, because the server was restarted.
    pub fn reset(&self) {
        let mut state = self.0.state.lock();
        *state = State::default();
        self.turn();
        self.settle(&state);
    }

    fn turn(&self) {
        self.0.turns.fetch_add(1, Ordering::Relaxed);
    }

    fn settle(&self, state: &State) {
        let is_troubled = state.failures > 0 || state.until.is_some() || state.unhealthy_until.is_some();
        self.0.is_troubled.store(is_troubled, Ordering::Release);
    }
}

impl BreakerPass {
    /// Records that the server answered the call, with a result or an error, and closes the breaker.
    pub fn succeeded(self) {
        self.breaker.succeeded();
    }

    /// Records that the server did not answer the call, or could not be reached. A call does not count if it began before the breaker last
    /// opened or closed, or if the server answered other calls meanwhile.
    pub fn failed(self) {
        self.breaker.failed(&self);
    }

    fn is_of_this_turn(&self) -> bool {
        self.breaker.0.turns.load(Ordering::Relaxed) == self.turns
    }
}

impl Drop for BreakerPass {
    fn drop(&mut self) {
        if self.is_trial {
            let mut state = self.breaker.0.state.lock();
            if self.is_of_this_turn() {
                state.trying_until = None;
            }
        }
    }
}

impl BreakerOpen {
    /// Returns the error that the caller gets: 2000, with the time after which the call may be made again.
    #[must_use]
    pub fn to_error(&self) -> ErrorObject {
        let code = ErrorCode::ServerNotReady;
        let after_ms = u64::try_from(self.after.as_millis()).unwrap_or(u64::MAX).max(1);
        code.error_with(self.message.clone(), Recovery::unsent(code).after_ms(after_ms))
    }
}

impl fmt::Display for BreakerOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BreakerOpen {}

impl BreakerPolicy {
    /// Returns the policy that never counts failures. A server that reports that it is unhealthy still gets no calls.
    #[must_use]
    pub const fn never() -> Self {
        Self { failures: 0, pause: Duration::ZERO, max_pause: Duration::ZERO }
    }
}

impl Default for BreakerPolicy {
    /// Returns the policy that refuses calls for 5 seconds after 5 failures in a row, and for a minute at most.
    fn default() -> Self {
        Self { failures: 5, pause: Duration::from_secs(5), max_pause: Duration::from_secs(60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    fn breaker() -> CircuitBreaker {
        let policy =
            BreakerPolicy { failures: 2, pause: Duration::from_secs(5), max_pause: Duration::from_secs(15) };
        CircuitBreaker::new("a", policy)
    }

    fn fail(breaker: &CircuitBreaker, times: u32) {
        for _ in 0..times {
            breaker.enter().unwrap().failed();
        }
    }

    fn refused_for(breaker: &CircuitBreaker) -> u64 {
        let error = breaker.enter().unwrap_err().to_error();
        assert_eq!(error.code, i64::from(ErrorCode::ServerNotReady));
        let advice = Recovery::from_error(&error).unwrap();
        assert!(advice.retryable && !advice.is_outcome_unknown());
        advice.retry_after_ms.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn only_failures_in_a_row_open_it() {
        let breaker = breaker();
        fail(&breaker, 1);
        breaker.enter().unwrap().succeeded();
        fail(&breaker, 2);
        assert_eq!(refused_for(&breaker), 5_000);
        advance(Duration::from_secs(2)).await;
        assert_eq!(refused_for(&breaker), 3_000);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_pause_one_call_at_a_time_probes_the_server() {
        let breaker = breaker();
        fail(&breaker, 2);
        assert!(breaker.check().is_err());
        advance(Duration::from_secs(5)).await;
        // A check is not a call.
        assert!(breaker.check().is_ok() && breaker.check().is_ok());
        let trial = breaker.enter().unwrap();
        assert_eq!(refused_for(&breaker), 1_000);
        // Its caller cancelled it.
        drop(trial);
        breaker.enter().unwrap().succeeded();
        let (one, other) = (breaker.enter(), breaker.enter());
        assert!(one.is_ok() && other.is_ok());
        // The count starts at zero.
        fail(&breaker, 1);
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_trial_doubles_the_pause_up_to_the_maximum() {
        let breaker = breaker();
        fail(&breaker, 2);
        for pause in [5, 10, 15, 15] {
            assert_eq!(refused_for(&breaker), pause * 1_000);
            advance(Duration::from_secs(pause)).await;
            fail(&breaker, 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_started_before_it_opened_do_not_extend_the_pause() {
        let breaker = breaker();
        let mut early: Vec<_> = (0..5).map(|_| breaker.enter().unwrap()).collect();
        let last = early.pop().unwrap();
        for pass in early {
            pass.failed();
            advance(Duration::from_secs(1)).await;
        }
        assert_eq!(refused_for(&breaker), 2_000);
        advance(Duration::from_secs(2)).await;
        let trial = breaker.enter().unwrap();
        last.failed();
        trial.succeeded();
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_call_to_a_responsive_server_does_not_count() {
        let breaker = breaker();
        let slow: Vec<_> = (0..4).map(|_| breaker.enter().unwrap()).collect();
        breaker.enter().unwrap().succeeded();
        slow.into_iter().for_each(BreakerPass::failed);
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_trial_blocks_other_calls_only_for_a_while() {
        let breaker = breaker();
        fail(&breaker, 2);
        advance(Duration::from_secs(5)).await;
        let slow = breaker.enter().unwrap();
        advance(Duration::from_secs(4)).await;
        assert!(breaker.enter().is_err());
        advance(Duration::from_secs(1)).await;
        let other = breaker.enter().unwrap();
        other.succeeded();
        slow.failed();
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_unhealthy_server_gets_no_calls_until_recovery_or_restart() {
        let breaker = breaker();
        let next_check = Instant::now() + Duration::from_secs(15);
        for end in [|breaker: &CircuitBreaker| breaker.set_unhealthy(None), CircuitBreaker::reset] {
            let early = breaker.enter().unwrap();
            breaker.set_unhealthy(Some(next_check));
            assert_eq!(refused_for(&breaker), 15_000);
            early.succeeded();
            assert!(breaker.enter().is_err(), "a call that began before says nothing of its health");
            end(&breaker);
            assert!(breaker.enter().is_ok());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_threshold_failures_are_not_counted() {
        let breaker = CircuitBreaker::new("a", BreakerPolicy::never());
        fail(&breaker, 100);
        assert!(breaker.enter().is_ok());
    }
}
