//! The registry of validators.

use super::{
    CodeSafety, Input, NetworkRestricted, ReadOnly, Sandbox, Validator, Verdict, Violation, pool::Pool,
    rejection::shown,
};
use crate::profile::ToolProfile;
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};
use tokio::time::timeout;

/// The validators of a kernel, by name. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Validators {
    all: Arc<HashMap<Box<str>, Arc<dyn Validator>>>,
    pub(super) timeout: Duration,
    pub(super) pool: Pool,
}

/// The time limit of the validators of one call, unless the kernel sets another.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Default for Validators {
    fn default() -> Self {
        Self { all: Arc::default(), timeout: TIMEOUT, pool: Pool::default() }
    }
}

/// The name for no validator.
const NONE: &str = "none";

impl Validators {
    /// Returns the validators of the specification.
    #[must_use]
    pub fn standard() -> Self {
        Self::default().with(Sandbox).with(ReadOnly).with(NetworkRestricted).with(CodeSafety)
    }

    /// Adds a validator, which replaces one of the same name.
    #[must_use]
    pub fn with(self, validator: impl Validator) -> Self {
        let mut all = Arc::unwrap_or_clone(self.all);
        all.insert(validator.name().into(), Arc::new(validator));
        Self { all: Arc::new(all), ..self }
    }

    /// Sets the time limit of all validators of one call; 5 s if it is not set. A call that is not judged by then is refused with 3003.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        Self { timeout: limit, ..self }
    }

    /// Runs a judgement of a caller on a thread of the pool. `judge` gets a flag that is set once its result is no longer awaited.
    ///
    /// # Errors
    /// The refusal, if the judgement failed, or did not end within the time limit. `length` is the
    /// length of the judged text, in bytes.
    pub(super) async fn judged<T: Send + 'static>(
        &self,
        caller: &str,
        length: usize,
        judge: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Result<T, Violation> {
        match timeout(self.timeout, self.pool.run(caller, judge)).await {
            Ok(Some(judged)) => Ok(judged),
            Ok(None) => Err(Violation::failed()),
            Err(_) => Err(Violation::late(format_args!("{length} bytes"))),
        }
    }

    /// Returns the end of the time limit of a call whose judgement begins now.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.timeout)
    }

    /// Runs the validators that a profile names, up to the first refusal. If a name has no validator, the call is refused.
    #[must_use]
    pub fn check(&self, input: &Input<'_>) -> Verdict {
        if let Err(unknown) = self.all_known(input.profile) {
            return Verdict::Refuse(unknown);
        }
        let mut verdict = Verdict::Pass;
        for validator in asked_for(input.profile).filter_map(|name| self.all.get(name)) {
            verdict = verdict.and(validator.check(input));
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            if matches!(verdict, Verdict::Refuse(_)) {
                break;
            }
        }
        verdict
    }

    /// Checks that each name in a profile has a validator.
    ///
    /// # Errors
    /// The refusal of every call, whatever its arguments are.
    pub(super) fn all_known(&self, profile: &ToolProfile) -> Result<(), Violation> {
        let Some(name) = asked_for(profile).find(|name| !self.all.contains_key(*name)) else { return Ok(()) };
        let unknown = format!("unknown validator {:?}", shown(name));
        Err(Violation::new("no such validator, so the call is refused", vec![unknown]))
    }
}

/// Returns the names of the validators in a profile.
pub(super) fn asked_for(profile: &ToolProfile) -> impl Iterator<Item = &str> {
    profile
        .validators
        .iter()
        .map(mgp_types::tool_security::ValidatorName::as_str)
        .filter(|name| *name != NONE)
}
