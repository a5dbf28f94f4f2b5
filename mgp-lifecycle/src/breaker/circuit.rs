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
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The bounds of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// The number of failures in a row that open the breaker; 0 for no number.
    pub failures: u32,
    /// The time for which calls are refused the first time. It doubles each time that the next call fails, too.
    pub pause: Duration,
    /// The longest time that doubling leads to.
    pub max_pause: Duration,
}

/// The circuit breaker of one server. Clones share the same server.
///
/// The breaker opens when the last calls have all failed, or when the server says that it is unhealthy. After a pause, one call is let
/// through: its success closes the breaker, its failure opens the breaker for twice the time.
///
/// ```
/// use mgp_lifecycle::breaker::{BreakerPolicy, CircuitBreaker};
/// let breaker = CircuitBreaker::new("weather", BreakerPolicy { failures: 2, ..BreakerPolicy::default() });
/// for _ in 0..2 {
///     let call = breaker.enter()?;
///     breaker.failed();
///     drop(call);
/// }
/// let refused = breaker.enter().unwrap_err();
/// assert!(refused.to_string().starts_with("server \"weather\" failed 2 calls in a row"));
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
    /// True while the call that tries the server is under way.
    is_trying: bool,
    /// The time of the next health check, while the server says that it is unhealthy.
    unhealthy_until: Option<Instant>,
}

/// A call that the breaker let through.
#[derive(Debug)]
pub struct BreakerPass {
    /// The breaker, if this call tries the server.
    trial: Option<CircuitBreaker>,
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
        let (is_troubled, state) = (AtomicBool::new(false), Mutex::default());
        Self(Arc::new(Inner { server_id: server_id.into(), policy, is_troubled, state }))
    }

    /// Lets a call through. Its outcome is told by [`succeeded`](Self::succeeded) or [`failed`](Self::failed), if it says anything of the server.
    ///
    /// # Errors
    /// [`BreakerOpen`] while the breaker is open.
    pub fn enter(&self) -> Result<BreakerPass, BreakerOpen> {
        if !self.0.is_troubled.load(Ordering::Acquire) {
            return Ok(BreakerPass { trial: None });
        }
        let now = Instant::now();
        let mut state = self.0.state.lock();
        if let Some(next_check) = state.unhealthy_until {
            let after = next_check.saturating_duration_since(now).max(WHILE_TRYING);
            return Err(self.open("says that it is unhealthy; its health is checked again", after));
        }
        let Some(until) = state.until else { return Ok(BreakerPass { trial: None }) };
        let left = until.saturating_duration_since(now);
        if left.is_zero() && !state.is_trying {
            state.is_trying = true;
            return Ok(BreakerPass { trial: Some(self.clone()) });
        }
        let failures = state.failures;
        let why =
            format!("failed {failures} calls in a row, without an answer or out of reach; it is tried again");
        Err(self.open(&why, if left.is_zero() { WHILE_TRYING } else { left }))
    }

    fn open(&self, why: &str, after: Duration) -> BreakerOpen {
        let message = format!("server {:?} {why} in {} ms", self.0.server_id, after.as_millis());
        BreakerOpen { message, after }
    }

    /// Notes that a call succeeded: closes the breaker.
    pub fn succeeded(&self) {
        if !self.0.is_troubled.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.0.state.lock();
        (state.failures, state.pause) = (0, Duration::ZERO);
        if state.until.take().is_some() {
            tracing::info!(server = &*self.0.server_id, "the server works again: its calls are let through");
        }
        self.settle(&state);
    }

    /// Notes that a call failed because the server did not answer, or could not be reached.
    pub fn failed(&self) {
        let Inner { policy, server_id, is_troubled, .. } = &*self.0;
        if policy.failures == 0 {
            return;
        }
        let mut state = self.0.state.lock();
        state.failures = state.failures.saturating_add(1);
        is_troubled.store(true, Ordering::Release);
        let now = Instant::now();
        // The end of a call that began before the breaker opened says nothing new.
        let is_paused = state.until.is_some_and(|until| now < until);
        if state.failures < policy.failures || is_paused {
            return;
        }
        state.pause = match state.pause {
            Duration::ZERO => policy.pause,
            pause => pause.saturating_mul(2).min(policy.max_pause),
        };
        state.until = Some(now + state.pause);
        tracing::warn!(
            server = &**server_id,
            failures = state.failures,
            pause = ?state.pause,
            "the server fails: its calls are refused for a while"
        );
    }

    /// Notes that the server said of itself that it is unhealthy, or no longer so. `next_check` is when it is asked again.
    pub fn set_unhealthy(&self, next_check: Option<Instant>) {
        if next_check.is_none() && !self.0.is_troubled.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.0.state.lock();
        let before = std::mem::replace(&mut state.unhealthy_until, next_check);
        if before.is_some() != next_check.is_some() {
            tracing::warn!(
                server = &*self.0.server_id,
                unhealthy = next_check.is_some(),
                "the server's word on its own health: its calls are refused while it is unhealthy"
            );
        }
        self.settle(&state);
    }

    /// Forgets everything, because the server was started anew.
    pub fn reset(&self) {
        let mut state = self.0.state.lock();
        *state = State { is_trying: state.is_trying, ..State::default() };
        self.settle(&state);
    }

    fn settle(&self, state: &State) {
        let is_troubled = state.failures > 0 || state.until.is_some() || state.unhealthy_until.is_some();
        self.0.is_troubled.store(is_troubled, Ordering::Release);
    }
}

impl Drop for BreakerPass {
    fn drop(&mut self) {
        if let Some(CircuitBreaker(breaker)) = &self.trial {
            breaker.state.lock().is_trying = false;
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
    /// Returns the policy that never counts failures. A server that says that it is unhealthy still gets no calls.
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
            let pass = breaker.enter().unwrap();
            breaker.failed();
            drop(pass);
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
    async fn failures_in_a_row_open_it_and_one_success_between_them_does_not_let_it_open() {
        let breaker = breaker();
        fail(&breaker, 1);
        breaker.succeeded();
        fail(&breaker, 2);
        assert_eq!(refused_for(&breaker), 5_000);
        advance(Duration::from_secs(2)).await;
        assert_eq!(refused_for(&breaker), 3_000);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_pause_one_call_at_a_time_tries_the_server() {
        let breaker = breaker();
        fail(&breaker, 2);
        advance(Duration::from_secs(5)).await;
        let trial = breaker.enter().unwrap();
        assert_eq!(refused_for(&breaker), 1_000);
        // Its caller cancelled it.
        drop(trial);
        let trial = breaker.enter().unwrap();
        breaker.succeeded();
        drop(trial);
        let (one, other) = (breaker.enter(), breaker.enter());
        assert!(one.is_ok() && other.is_ok());
        // It counts from the start.
        fail(&breaker, 1);
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_trial_doubles_the_pause_up_to_the_longest() {
        let breaker = breaker();
        fail(&breaker, 2);
        for pause in [5, 10, 15, 15] {
            assert_eq!(refused_for(&breaker), pause * 1_000);
            advance(Duration::from_secs(pause)).await;
            fail(&breaker, 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_began_before_it_opened_do_not_prolong_the_pause() {
        let breaker = breaker();
        let early: Vec<_> = (0..4).map(|_| breaker.enter().unwrap()).collect();
        for pass in early {
            breaker.failed();
            drop(pass);
            advance(Duration::from_secs(1)).await;
        }
        assert_eq!(refused_for(&breaker), 2_000);
    }

    #[tokio::test(start_paused = true)]
    async fn an_unhealthy_server_gets_no_calls_until_it_says_otherwise_or_is_started_anew() {
        let breaker = breaker();
        let next_check = Instant::now() + Duration::from_secs(15);
        for end in [|breaker: &CircuitBreaker| breaker.set_unhealthy(None), CircuitBreaker::reset] {
            breaker.set_unhealthy(Some(next_check));
            assert_eq!(refused_for(&breaker), 15_000);
            breaker.succeeded();
            assert!(breaker.enter().is_err(), "a call that began before says nothing of its health");
            end(&breaker);
            assert!(breaker.enter().is_ok());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_number_failures_are_not_counted() {
        let breaker = CircuitBreaker::new("a", BreakerPolicy::never());
        fail(&breaker, 100);
        assert!(breaker.enter().is_ok());
    }
}
