//! Calls that request an extra feature of the kernel.

use super::ours::Ours;
use crate::{
    adder::{Add, NAME},
    measure::Caller,
};
use mgp_client_sdk::client::CallOptions;
use mgp_types::{
    idempotency::IdempotencyKey,
    json::RawJson,
    mcp::{CallTool, CallToolParams},
    tool_check::{CheckTool, CheckToolParams},
    transaction::{BeginTransaction, BeginTransactionParams, CommitTransaction, TransactionParams},
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A feature that every call of a client requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    /// A check of the arguments against the tool's schema.
    CheckedArguments,
    /// An attestation of the result.
    Attestation,
    /// The judgement on the call instead of the call.
    DryRun,
    /// A new idempotency key.
    Key,
    /// A reference instead of the result.
    KeptResult,
    /// A transaction for the call, which is committed.
    Transaction,
}

/// A client whose calls request a feature.
#[derive(Debug, Clone)]
pub(super) struct FeatureClient {
    pub(super) ours: Ours,
    pub(super) feature: Feature,
}

impl Caller for FeatureClient {
    async fn call(&self, number: i64) -> Result<(), String> {
        let add = Add::of(number);
        let arguments = RawJson::from_value(&add).map_err(|error| error.to_string())?;
        match self.feature {
            Feature::DryRun => self.check(arguments).await,
            Feature::KeptResult => self.keep(arguments).await,
            Feature::Transaction => self.in_transaction(&add, arguments).await,
            Feature::CheckedArguments => {
                self.add(&add, arguments, CallOptions::new().check_arguments()).await
            }
            Feature::Attestation => self.add(&add, arguments, CallOptions::new().attest()).await,
            Feature::Key => self.add(&add, arguments, CallOptions::new().idempotency_key(&next_key()?)).await,
        }
    }
}

impl FeatureClient {
    async fn add(&self, add: &Add, arguments: RawJson, options: CallOptions) -> Result<(), String> {
        let params = with(arguments, options);
        let result = self.ours.peer.request::<CallTool>(&params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()))
    }

    async fn check(&self, arguments: RawJson) -> Result<(), String> {
        let params = CheckToolParams { name: NAME.to_owned(), arguments: Some(arguments), meta: None };
        let result = self.ours.peer.request::<CheckTool>(&params).await.map_err(|error| error.to_string())?;
        if result.allowed { Ok(()) } else { Err(format!("not allowed: {:?}", result.reason)) }
    }

    async fn keep(&self, arguments: RawJson) -> Result<(), String> {
        let params = with(arguments, CallOptions::new().keep_result());
        let result = self.ours.peer.request::<CallTool>(&params).await.map_err(|error| error.to_string())?;
        result.reference().map(drop).ok_or_else(|| "the result was not kept".to_owned())
    }

    async fn in_transaction(&self, add: &Add, arguments: RawJson) -> Result<(), String> {
        let peer = &self.ours.peer;
        let id = next_name();
        let begin =
            BeginTransactionParams { transaction_id: id.clone(), timeout_seconds: None, description: None };
        peer.request::<BeginTransaction>(&begin).await.map_err(|error| error.to_string())?;
        self.add(add, arguments, CallOptions::new().transaction(&id)).await?;
        let params = TransactionParams { transaction_id: id };
        peer.request::<CommitTransaction>(&params).await.map(drop).map_err(|error| error.to_string())
    }
}

fn with(arguments: RawJson, options: CallOptions) -> CallToolParams {
    CallToolParams { meta: Some(options.into()), ..CallToolParams::new(NAME, arguments) }
}

fn next_key() -> Result<IdempotencyKey, String> {
    IdempotencyKey::new(&next_name()).ok_or_else(|| "the name is not a key".to_owned())
}

/// Returns a name that no other call of this process has.
fn next_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("op-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
