//! The stored form of a transaction.

use jiff::{SignedDuration, Timestamp};
use mgp_types::{
    context::{ActorType, KeyScopes, Principal},
    error::ProposedCategory,
    json::RawJson,
    transaction::{
        CompensatedStep, Compensation, CompensationStatus, StepError, StepReport, StepState,
        TransactionReport, TransactionState,
    },
};
use serde::{Deserialize, Serialize};

/// The longest reason that is stored, in characters. Servers supply the reasons.
const MAX_REASON: usize = 1000;

/// The identity of a transaction. The same name of another caller is a different transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransactionKey {
    /// The caller and the agents that it acts for, as a JSON array of their ids, with the scopes of the caller's API key if these narrow its
    /// rights.
    pub principal: String,
    /// The caller's name for the transaction.
    pub id: String,
}

impl TransactionKey {
    /// Returns the identity of a transaction of a caller.
    #[must_use]
    pub fn new(principal: &Principal, id: &str) -> Self {
        let parties: Vec<&str> = principal.parties().collect();
        let identity = match principal.key_scopes() {
            None => RawJson::from_value(&parties),
            Some(key) => RawJson::from_value(&(parties, key)),
        };
        // Strings always serialize.
        let principal = identity.map(|identity| identity.as_str().to_owned()).unwrap_or_default();
        Self { principal, id: id.to_owned() }
    }
}

/// The caller of a transaction, on whose behalf its steps are undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransactionCaller {
    /// The id of the principal.
    pub id: String,
    /// The kind of the principal.
    pub actor: ActorType,
    /// True if the principal has the admin role.
    pub admin: bool,
    /// The agents that the principal acts for.
    pub delegation: Vec<String>,
    /// The scopes of the principal's API key, if they narrow its rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyScopes>,
}

impl TransactionCaller {
    /// Returns the stored form of a caller.
    #[must_use]
    pub fn of(principal: &Principal) -> Self {
        let caller = principal.caller();
        Self {
            id: caller.id().to_owned(),
            actor: caller.actor(),
            admin: caller.is_admin(),
            delegation: principal.delegation().map(str::to_owned).collect(),
            key: principal.key_scopes().cloned(),
        }
    }

    /// Returns the caller, without the agents that it acts for.
    #[must_use]
    pub fn caller(&self) -> Principal {
        let caller = Principal::new(&self.id, self.actor, self.admin);
        self.key.iter().fold(caller, |caller, key| caller.narrowed_to(key.clone()))
    }
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// The caller's name for the transaction.
    pub id: String,
    /// The caller.
    pub caller: TransactionCaller,
    /// Its state.
    pub state: TransactionState,
    /// The purpose, for people.
    pub description: Option<String>,
    /// The time without a step or a request after which the transaction is rolled back, in seconds.
    pub timeout_seconds: u64,
    /// The start of the transaction, in microseconds since 1970.
    pub begun_at: i64,
    /// The time of the last step or request, in microseconds since 1970.
    pub active_at: i64,
    /// The reason for the rollback.
    pub reason: Option<String>,
    /// The process that rolls the transaction back. While this process runs, no other one does so without a request.
    pub owner: String,
    /// The steps, in the order in which they began.
    pub steps: Vec<Step>,
}

/// A step of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The name.
    pub id: String,
    /// The server of the tool.
    pub server_id: String,
    /// The tool, by the server's name for it.
    pub tool_name: String,
    /// Its state.
    pub state: StepState,
    /// The process that makes the call.
    pub owner: String,
    /// The task as which the server continues the step after the answer, by the id that the caller knows. `None` once the step has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The fingerprint of the server's address or command, if known.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The call that undoes the step.
    pub compensation: Option<Compensation>,
    /// The number of times that undoing was begun again after a failure. A crash does not count.
    pub attempt: u32,
    /// True if the operator's call that undoes the step is of a tool hidden from the caller: the call is not reported.
    #[serde(default)]
    pub is_concealed: bool,
    /// True from just before the call that undoes the step is sent under its current key, until the call is known to have failed or not been
    /// sent.
    #[serde(default)]
    pub is_sent: bool,
    /// True if the call that undoes the step was sent and its outcome is unknown. The call is not repeated, because that could undo the step
    /// twice.
    #[serde(default)]
    pub is_uncertain: bool,
    /// The reason for a state other than success.
    pub error: Option<String>,
}

impl Step {
    /// Returns whether a rollback has to undo the step. A failed step is undone only if its server's answer declares a compensation.
    #[must_use]
    pub fn took_effect(&self) -> bool {
        match self.state {
            StepState::Failed => self.compensation.is_some(),
            StepState::Running => false,
            _ => true,
        }
    }

    /// Marks a running step as unknown, because no outcome will ever be reported.
    pub(super) fn end_unknown(&mut self, reason: &str) {
        (self.state, self.task) = (StepState::Unknown, None);
        self.error = Some(reason.to_owned());
    }

    /// Returns the reason for the state as reported to the caller, without the answer of a tool that is hidden from the caller.
    fn told_error(&self) -> Option<String> {
        match (self.is_concealed, self.state, self.is_uncertain) {
            (true, StepState::CompensationFailed, true) => Some("it may have been undone".to_owned()),
            (true, StepState::CompensationFailed, false) => Some("the call that undoes it failed".to_owned()),
            (true, StepState::Ok | StepState::NotCompensated, _) => {
                self.error.as_ref().map(|_| "no call is known that undoes it".to_owned())
            }
            _ => self.error.clone(),
        }
    }
}

impl Transaction {
    /// Marks the transaction as being rolled back. Steps whose compensation failed are undone again.
    pub(super) fn roll_back(&mut self, reason: Option<String>, owner: String) {
        self.state = TransactionState::RollingBack;
        self.active_at = Timestamp::now().as_microsecond();
        self.reason = reason.or(self.reason.take());
        self.owner = owner;
        for step in &mut self.steps {
            if step.state == StepState::CompensationFailed && !step.is_uncertain {
                step.state = StepState::Compensating;
                // A call that may have been sent keeps its key.
                step.attempt += u32::from(!step.is_sent);
            }
        }
    }

    /// Returns the number of bytes of the calls that undo steps.
    #[must_use]
    pub fn compensation_bytes(&self) -> usize {
        self.steps.iter().filter_map(|step| step.compensation.as_ref()).map(size).sum()
    }

    /// Returns whether the time without a step or a request has passed.
    #[must_use]
    pub fn is_idle(&self, now: Timestamp) -> bool {
        let limit = i64::try_from(self.timeout_seconds).unwrap_or(i64::MAX);
        let limit = SignedDuration::from_secs(limit);
        Timestamp::from_microsecond(self.active_at)
            .is_ok_and(|since| since.checked_add(limit).is_ok_and(|end| end <= now))
    }

    /// Returns the time from which a watch has to check the transaction, in microseconds since 1970. It is due at once during a rollback or a
    /// running step, because their process may be gone.
    #[must_use]
    pub fn due_at(&self) -> i64 {
        let runs = || self.steps.iter().any(|step| step.state == StepState::Running);
        match self.state {
            TransactionState::RollingBack => 0,
            TransactionState::Active if runs() => 0,
            TransactionState::Active => {
                let limit = i64::try_from(self.timeout_seconds).unwrap_or(i64::MAX);
                self.active_at.saturating_add(limit.saturating_mul(1_000_000))
            }
            _ => i64::MAX,
        }
    }

    /// Returns the state of a transaction all of whose steps are settled.
    #[must_use]
    pub fn end_of_rollback(&self) -> TransactionState {
        let is_undone = |step: &Step| !step.took_effect() || step.state == StepState::Compensated;
        match self.steps.iter().all(is_undone) {
            true => TransactionState::RolledBack,
            false => TransactionState::PartiallyRolledBack,
        }
    }

    /// Returns the report for the caller.
    #[must_use]
    pub fn report(&self) -> TransactionReport {
        let rolled = !matches!(self.state, TransactionState::Active | TransactionState::Committed);
        TransactionReport {
            transaction_id: self.id.clone(),
            status: self.state,
            explanation: self.explanation(),
            description: self.description.clone(),
            timeout_seconds: self.timeout_seconds,
            begun_at: Timestamp::from_microsecond(self.begun_at).map(|at| at.to_string()).unwrap_or_default(),
            reason: self.reason.clone(),
            steps: self.steps.iter().map(step_report).collect(),
            steps_compensated: rolled.then(|| self.steps.iter().rev().filter_map(compensated).collect()),
        }
    }

    /// Returns the report for an operator, with the calls and the errors that are hidden from the caller.
    #[must_use]
    pub fn whole_report(&self) -> TransactionReport {
        let steps = self.steps.iter().map(|step| Step { is_concealed: false, ..step.clone() }).collect();
        Self { steps, ..self.clone() }.report()
    }

    fn explanation(&self) -> String {
        let undone = |step: &&Step| step.state == StepState::Compensated;
        let left: Vec<&str> = self
            .steps
            .iter()
            .filter(|step| step.took_effect() && !undone(step))
            .map(|step| step.id.as_str())
            .collect();
        match self.state {
            TransactionState::Active => {
                let explanation =
                    format!("it takes steps; after {} s without one it is rolled back", self.timeout_seconds);
                let tasks = self.steps.iter().filter(|step| step.task.is_some());
                let tasks: Vec<&str> = tasks.map(|step| step.id.as_str()).collect();
                match tasks.is_empty() {
                    true => explanation,
                    false => format!("{explanation}; still run as tasks: {}", tasks.join(", ")),
                }
            }
            TransactionState::Committed => "the effects of its steps remain".to_owned(),
            TransactionState::RollingBack => {
                format!("its steps are being undone; to do: {}", left.join(", "))
            }
            TransactionState::RolledBack => "every step that took effect was undone".to_owned(),
            TransactionState::PartiallyRolledBack => format!(
                "not undone, or not known to be: {}; look at these by hand, or ask for the rollback again, which tries those that failed \
                 once more",
                left.join(", ")
            ),
        }
    }
}

/// Returns the number of bytes of a call that undoes a step.
pub(super) fn size(compensation: &Compensation) -> usize {
    let Compensation { tool, arguments, description } = compensation;
    tool.len() + arguments.as_bytes().len() + description.as_ref().map_or(0, String::len)
}

fn step_report(step: &Step) -> StepReport {
    StepReport {
        step_id: step.id.clone(),
        status: step.state,
        server_id: step.server_id.clone(),
        tool: step.tool_name.clone(),
        task_id: step.task.clone(),
        compensation: step.compensation.clone().filter(|_| !step.is_concealed),
        error: step.told_error().map(|message| step_error(step.state, message)),
    }
}

/// Returns the reason for the state of a step. No step is retried automatically, whatever the reason.
fn step_error(state: StepState, message: String) -> StepError {
    let code = match state {
        StepState::CompensationFailed => "COMPENSATION_FAILED",
        // A step that took effect has an error if no call is known that undoes it.
        StepState::NotCompensated | StepState::Ok => "NO_COMPENSATION",
        StepState::Unknown => "OUTCOME_UNKNOWN",
        StepState::Running | StepState::Failed | StepState::Compensating | StepState::Compensated => {
            "STEP_FAILED"
        }
    };
    StepError { code: code.to_owned(), message, category: ProposedCategory::Permanent }
}

/// Returns the outcome of undoing a step, or `None` if there is no outcome yet or nothing to undo.
fn compensated(step: &Step) -> Option<CompensatedStep> {
    let is_undone = match step.state {
        StepState::Compensated => true,
        StepState::CompensationFailed | StepState::NotCompensated | StepState::Unknown => false,
        StepState::Running | StepState::Ok | StepState::Failed | StepState::Compensating => return None,
    };
    Some(CompensatedStep {
        step_id: step.id.clone(),
        status: if is_undone {
            CompensationStatus::Compensated
        } else {
            CompensationStatus::CompensationFailed
        },
        error: (!is_undone).then(|| step_error(step.state, step.told_error().unwrap_or_default())),
    })
}

/// Cuts a reason to the stored length.
pub(super) fn brief(reason: &str) -> String {
    reason.chars().take(MAX_REASON).collect()
}
