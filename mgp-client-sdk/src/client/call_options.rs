//! The options of a call for a gateway, in addition to its arguments.

use mgp_types::{
    idempotency::{IDEMPOTENCY_KEY, IDEMPOTENCY_TTL_SECONDS, IdempotencyKey},
    intent::Intent,
    json::{RawJson, RawObject},
    reference::CALL_KEY,
    tool_result::ATTEST_KEY,
    transaction::{STEP_ID, TRANSACTION_ID},
};
use std::time::Duration;

/// The options of a call for a gateway, in addition to its arguments, for [`Client::call_tool_with`](super::Client::call_tool_with) and
/// similar functions. They are members of the call's `_meta`, so a server that does not know them makes an ordinary call.
///
/// ```
/// use mgp_client_sdk::{RawObject, client::CallOptions};
///
/// let options = CallOptions::new().keep_result().reference("/data", "ref-1#/rows/0").intent("Move the customers of 2025");
/// let meta: RawObject = options.into();
/// let asked = r#"{"intent":"Move the customers of 2025","dev.cloto/call":{"keep_result":true,"refs":{"/data":"ref-1#/rows/0"}}}"#;
/// assert_eq!(meta.to_json().as_str(), asked);
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    meta: RawObject,
    keeps: bool,
    checks_arguments: bool,
    checks_result: bool,
    refs: RawObject,
}

impl CallOptions {
    /// Creates options without any requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the gateway to keep the result, and to answer with a [reference](mgp_types::mcp::CallToolResult::reference) to
    /// it.
    #[must_use]
    pub fn keep_result(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Requests the gateway to check the arguments against the tool's input schema before anybody is asked about the
    /// call.
    #[must_use]
    pub fn check_arguments(mut self) -> Self {
        self.checks_arguments = true;
        self
    }

    /// Requests the gateway to check the result against the tool's output schema. A result that does not match is an error (5000), whose
    /// details state that the tool ran. Cannot be combined with [`keep_result`](Self::keep_result).
    #[must_use]
    pub fn check_result(mut self) -> Self {
        self.checks_result = true;
        self
    }

    /// Requests the gateway to insert kept data into the arguments. `at` is the location, as a JSON pointer such as `/data`. The reference is
    /// the `ref_id` of a [`DataReference`](mgp_types::reference::DataReference). A `#` with a JSON pointer after it selects a part of the data.
    #[must_use]
    pub fn reference(mut self, at: impl AsRef<str>, reference: impl AsRef<str>) -> Self {
        self.refs.insert_named(at.as_ref(), RawJson::string(reference.as_ref()));
        self
    }

    /// Requests the gateway to make the call once, however often it is sent with this key and the same arguments. The answer's
    /// [note](mgp_types::mcp::CallToolResult::replay_note) shows whether it is that of an earlier call.
    #[must_use]
    pub fn idempotency_key(self, key: &IdempotencyKey) -> Self {
        self.member(IDEMPOTENCY_KEY, RawJson::string(key.as_str()))
    }

    /// Sets the time for which the gateway keeps the idempotency key, in whole seconds and at least one.
    #[must_use]
    pub fn idempotency_ttl(self, ttl: Duration) -> Self {
        match RawJson::from_value(&ttl.as_secs().max(1)) {
            Ok(seconds) => self.member(IDEMPOTENCY_TTL_SECONDS, seconds),
            // The value is a number, so serializing cannot fail.
            Err(_) => self,
        }
    }

    /// Sets the purpose of the call, in one sentence of at most [`Intent::MAX_BYTES`] bytes.
    #[must_use]
    pub fn intent(self, sentence: impl AsRef<str>) -> Self {
        self.member(Intent::MEMBER, RawJson::string(sentence.as_ref()))
    }

    /// Makes the call a step of a transaction that was begun with [`BeginTransaction`](mgp_types::transaction::BeginTransaction).
    #[must_use]
    pub fn transaction(self, id: impl AsRef<str>) -> Self {
        self.member(TRANSACTION_ID, RawJson::string(id.as_ref()))
    }

    /// Sets the name of the step in its transaction; `step-1`, `step-2` and so on by default.
    #[must_use]
    pub fn step(self, id: impl AsRef<str>) -> Self {
        self.member(STEP_ID, RawJson::string(id.as_ref()))
    }

    /// Requests the gateway to attest the origin of the result
    /// ([`Attestation`](mgp_types::tool_result::Attestation)).
    #[must_use]
    pub fn attest(self) -> Self {
        self.member(ATTEST_KEY, true.into())
    }

    fn member(mut self, key: &'static str, value: RawJson) -> Self {
        self.meta.insert(key, value);
        self
    }
}

impl From<CallOptions> for RawObject {
    fn from(CallOptions { mut meta, keeps, checks_arguments, checks_result, refs }: CallOptions) -> Self {
        let mut asked = Self::new();
        if keeps {
            asked.insert("keep_result", true.into());
        }
        if checks_arguments {
            asked.insert("check_arguments", true.into());
        }
        if checks_result {
            asked.insert("check_result", true.into());
        }
        if !refs.is_empty() {
            asked.insert("refs", refs.to_json());
        }
        if !asked.is_empty() {
            meta.insert(CALL_KEY, asked.to_json());
        }
        meta
    }
}
