//! An entry of the store: the facts about the call made under a key.

use jiff::Timestamp;
use mgp_transport::seam::ToolCall;
use mgp_types::{
    idempotency::IdempotencyKey,
    json::RawJson,
    rpc::{ErrorObject, RawResult},
};
use sha2::{Digest, Sha256};

/// The identity of an entry. The same key of another caller, or for another tool, is a different entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    /// The caller and the agents that it acts for, as a JSON array of their ids.
    pub principal: String,
    /// The server of the tool.
    pub server_id: String,
    /// The tool.
    pub tool_name: String,
    /// The key.
    pub key: String,
}

impl EntryId {
    /// Returns the identity of the entry of a call.
    #[must_use]
    pub fn of(call: &ToolCall, key: &IdempotencyKey) -> Self {
        let parties: Vec<&str> = call.principal.parties().collect();
        let tool = &call.target.tool;
        Self {
            // Strings always serialize.
            principal: RawJson::from_value(&parties).map(|ids| ids.as_str().to_owned()).unwrap_or_default(),
            server_id: tool.server_id.to_string(),
            tool_name: tool.tool_name.to_string(),
            key: key.as_str().to_owned(),
        }
    }
}

/// Returns the calling agent of a principal that is stored as a JSON array of its parties, or of these and more: the first party.
#[cfg(feature = "sqlite")]
pub(crate) fn calling_agent(principal: &str) -> String {
    let mut first = serde_json::from_str(principal).unwrap_or_default();
    while let serde_json::Value::Array(parties) = first {
        first = parties.into_iter().next().unwrap_or_default();
    }
    match first {
        serde_json::Value::String(agent) => agent,
        _ => principal.to_owned(),
    }
}

/// Returns the SHA-256 of a call's arguments in their canonical form. Missing arguments count as an empty object.
pub(super) fn arguments_digest(call: &ToolCall) -> [u8; 32] {
    let none = RawJson::empty_object();
    Sha256::digest(call.arguments().unwrap_or(&none).canonical()).into()
}

/// An entry to be stored before its call is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// The identity of the entry.
    pub id: EntryId,
    /// The calling agent, toward whose bounds the entry counts. The agents that it claims to act for add no room.
    pub caller: String,
    /// The SHA-256 of the arguments.
    pub arguments: [u8; 32],
    /// The time of the call.
    pub made_at: Timestamp,
    /// The expiry of the entry. A call that runs longer keeps its entry until it ends.
    pub expires_at: Timestamp,
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The SHA-256 of the arguments.
    pub arguments: [u8; 32],
    /// The time of the call.
    pub made_at: Timestamp,
    /// The state of the call.
    pub state: EntryState,
}

/// The state of the call of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryState {
    /// The call runs.
    Pending {
        /// True if it runs in this process, or did until its future was dropped.
        here: bool,
    },
    /// The call was answered.
    Done(KeptAnswer),
    /// The call was sent, and whether it took effect is unknown.
    Unknown,
}

/// The stored end of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The call was answered.
    Done(KeptAnswer),
    /// The call was sent, and whether it took effect is unknown.
    Unknown,
}

impl From<Outcome> for EntryState {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done(answer) => Self::Done(answer),
            Outcome::Unknown => Self::Unknown,
        }
    }
}

/// The kept answer of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum KeptAnswer {
    /// The result.
    Result(RawResult),
    /// The error with which the server answered.
    Error(ErrorObject),
    /// The answer was too large to be kept: it is only known that the call was answered.
    Dropped {
        /// The size of the answer in bytes.
        bytes: u64,
        /// True if the answer was an error.
        is_error: bool,
    },
}

impl KeptAnswer {
    /// Returns the answer as text; `None` if it is not kept.
    pub(super) fn text(&self) -> Option<RawJson> {
        match self {
            Self::Result(result) => Some(result.clone()),
            Self::Error(error) => RawJson::from_value(error).ok(),
            Self::Dropped { .. } => None,
        }
    }

    /// Drops the content of the answer if it has more than `most` bytes.
    pub(super) fn within(self, most: usize) -> Self {
        let bytes = self.text().map_or(0, |text| text.as_bytes().len());
        if bytes <= most { self } else { self.dropped(bytes) }
    }

    pub(super) fn dropped(&self, bytes: usize) -> Self {
        let is_error = match self {
            Self::Result(_) => false,
            Self::Error(_) => true,
            Self::Dropped { is_error, .. } => *is_error,
        };
        Self::Dropped { bytes: u64::try_from(bytes).unwrap_or(u64::MAX), is_error }
    }
}

/// The outcome of claiming a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The entry was stored: only this caller is to make the call.
    New,
    /// The entry already exists.
    Exists(Box<Entry>),
    /// The caller has no room for another entry.
    Full {
        /// The bound that was reached.
        bound: EntryBound,
        /// The earliest expiry of the caller's entries.
        room_at: Option<Timestamp>,
    },
}

/// The bounds of a [store](super::IdempotencyStore), for each caller, regardless of the agents that it acts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryBounds {
    /// The most entries.
    pub entries: usize,
    /// The most bytes of one answer.
    pub answer_bytes: usize,
    /// The most bytes of all answers together.
    pub all_bytes: usize,
}

/// The bound that leaves no room for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryBound {
    /// The caller has this many entries.
    Entries(usize),
}
