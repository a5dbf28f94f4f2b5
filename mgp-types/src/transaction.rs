//! Transactions of calls that are undone by other calls: several steps, on any servers, that are committed together or rolled back.

use crate::{error::ProposedCategory, json::RawJson};
use serde::{Deserialize, Serialize};

/// The member of a call's `_meta` that makes it a step of a transaction.
pub const TRANSACTION_ID: &str = "transaction_id";

/// The member of a call's `_meta` that names the step.
pub const STEP_ID: &str = "step_id";

/// The member of a result's `_meta` in which a server declares how the call is undone.
pub const COMPENSATION: &str = "compensation";

/// The name of the error of a request that does not fit the state of its transaction.
pub const TRANSACTION_CONFLICT: &str = "TRANSACTION_CONFLICT";

calls! {
    /// Begins a transaction.
    call BeginTransaction = "mgp/transaction/begin": BeginTransactionParams => TransactionReport;
    /// Ends a transaction, and keeps the effects of its steps.
    call CommitTransaction = "mgp/transaction/commit": TransactionParams => TransactionReport;
    /// Undoes the steps of a transaction, the last one first.
    call RollbackTransaction = "mgp/transaction/rollback": RollbackTransactionParams => TransactionReport;
    /// Returns the state of a transaction and of its steps.
    call QueryTransaction = "mgp/transaction/status": TransactionParams => TransactionReport;
    /// The proposals' name of [`BeginTransaction`].
    call BeginTransactionAlias = "transaction/begin": BeginTransactionParams => TransactionReport;
    /// The proposals' name of [`CommitTransaction`].
    call CommitTransactionAlias = "transaction/commit": TransactionParams => TransactionReport;
    /// The proposals' name of [`RollbackTransaction`].
    call RollbackTransactionAlias = "transaction/rollback": RollbackTransactionParams => TransactionReport;
    /// The name of [`QueryTransaction`] without its prefix.
    call QueryTransactionAlias = "transaction/status": TransactionParams => TransactionReport;
}

/// A new transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeginTransactionParams {
    /// The caller's name for the transaction: 1 to 128 letters, digits and `_-:.`.
    pub transaction_id: String,
    /// The time without a step or a request after which the transaction is rolled back, in seconds; 300 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// The purpose of the transaction, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The transaction that a request is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransactionParams {
    /// The transaction.
    pub transaction_id: String,
}

/// The transaction that is rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RollbackTransactionParams {
    /// The transaction.
    pub transaction_id: String,
    /// The reason for the rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

spelled! {
    /// The state of a transaction.
    pub enum TransactionState as "state of a transaction" {
        /// The transaction accepts steps.
        Active = "active",
        /// The effects of its steps remain.
        Committed = "committed",
        /// Its steps are being undone.
        RollingBack = "rolling_back",
        /// Every step that took effect was undone.
        RolledBack = "rolled_back",
        /// At least one step was not undone, or may not have been: an operator has to check it.
        PartiallyRolledBack = "partially_rolled_back",
    }
}

impl TransactionState {
    /// Returns whether the transaction no longer changes without a request.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Committed | Self::RolledBack | Self::PartiallyRolledBack)
    }
}

spelled! {
    /// The state of a step.
    pub enum StepState as "state of a step" {
        /// The call of the step runs.
        Running = "running",
        /// The call succeeded.
        Ok = "ok",
        /// The call failed, or was not sent.
        Failed = "failed",
        /// The call was sent, and whether it took effect is unknown.
        Unknown = "unknown",
        /// The call that undoes the step runs.
        Compensating = "compensating",
        /// The step was undone.
        Compensated = "compensated",
        /// The call that undoes the step failed, or its outcome is unknown.
        CompensationFailed = "compensation_failed",
        /// The step took effect, and no call is known that undoes it.
        NotCompensated = "not_compensated",
    }
}

/// The call that undoes a call: of another tool of the same server.
///
/// In the declaration of a tool or of an operator, a string `$arguments/POINTER` or `$result/POINTER` among the arguments stands for a value of
/// the call that is undone: of its arguments, or of its structured result (JSON Pointers, RFC 6901). A leading `$$` stands for one `$`.
///
/// ```
/// use mgp_types::transaction::Compensation;
/// use serde_json::json;
///
/// let compensation = Compensation::new("delete_issue").arguments(json!({"id": "$result/id"}));
/// assert_eq!(compensation.arguments.as_str(), r#"{"id":"$result/id"}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compensation {
    /// The tool, by the server's name for it.
    pub tool: String,
    /// The arguments of the tool. The proposals' schema names them `parameters`.
    #[serde(alias = "parameters", default = "RawJson::empty_object")]
    pub arguments: RawJson,
    /// The effect of the call, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Compensation {
    /// Creates a call without arguments.
    pub fn new(tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), arguments: RawJson::empty_object(), description: None }
    }

    /// Sets the arguments, which serialize to a JSON object. Arguments that cannot be JSON become `null`, which no declaration accepts.
    #[must_use]
    pub fn arguments(self, arguments: impl Serialize) -> Self {
        let arguments = RawJson::from_value(&arguments).unwrap_or_else(|_| RawJson::null());
        Self { arguments, ..self }
    }

    /// Sets the effect of the call, for people.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }
}

/// A transaction, as its caller sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransactionReport {
    /// The caller's name for the transaction.
    pub transaction_id: String,
    /// The state.
    pub status: TransactionState,
    /// The meaning of the state, and the possible actions, in one sentence.
    pub explanation: String,
    /// The purpose of the transaction, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The time without a step or a request after which the transaction is rolled back, in seconds.
    pub timeout_seconds: u64,
    /// The time at which the transaction began, in RFC 3339.
    pub begun_at: String,
    /// The reason for the rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The steps, in their order.
    pub steps: Vec<StepReport>,
    /// The steps that a rollback had to undo, in the order of undoing; `None` before a rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_compensated: Option<Vec<CompensatedStep>>,
}

/// A step, as its caller sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepReport {
    /// The name of the step.
    pub step_id: String,
    /// The state.
    pub status: StepState,
    /// The server of the tool.
    pub server_id: String,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// The task as which the server continues the step; absent if the call was answered with a result, or has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The call that undoes the step, if one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Compensation>,
    /// The reason for a state other than success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

spelled! {
    /// The outcome of undoing a step, in the proposals' words.
    pub enum CompensationStatus as "outcome of a compensation" {
        /// The step was undone.
        Compensated = "compensated",
        /// The step was not undone, or may not have been.
        CompensationFailed = "compensation_failed",
    }
}

/// A step that a rollback had to undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompensatedStep {
    /// The name of the step.
    pub step_id: String,
    /// The outcome.
    pub status: CompensationStatus,
    /// The reason the step was not undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

/// The reason for the state of a step, in the form of the proposals' errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepError {
    /// The reason's name.
    pub code: String,
    /// The reason in one sentence.
    pub message: String,
    /// The proposals' category: `permanent`, because nothing is retried automatically.
    pub category: ProposedCategory,
}
