//! The facts about a shared result.

use super::super::{content::ContentForm, data::KeptData};
use crate::ground::reference_store::STORED_CHUNK;
use mgp_store::spool::DerivedKey;
use mgp_types::{context::Principal, reference::DataReference};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;

/// The bytes of a chunk before it is encrypted.
pub(super) const CHUNK: usize = STORED_CHUNK - DerivedKey::TAG;

/// The number under which the facts are encrypted. No chunk has it.
const FACTS: u64 = u64::MAX;

/// The facts about a result, as they are encrypted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SharedFacts {
    pub(super) reference: DataReference,
    /// True if the data is JSON.
    is_json: bool,
}

impl SharedFacts {
    pub(super) fn of(data: &KeptData) -> Self {
        Self { reference: data.reference.clone(), is_json: data.form == ContentForm::Json }
    }

    pub(super) fn form(&self) -> ContentForm {
        if self.is_json { ContentForm::Json } else { ContentForm::Text }
    }

    /// Returns the length of the data in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.reference.size_bytes.unwrap_or_default()
    }

    /// Returns the number of chunks of the data.
    pub(super) fn chunks(&self) -> u64 {
        self.bytes().div_ceil(CHUNK as u64)
    }

    pub(super) fn seal(&self, key: &DerivedKey) -> io::Result<Vec<u8>> {
        key.seal(FACTS, serde_json::to_vec(self)?)
    }

    pub(super) fn open(key: &DerivedKey, sealed: Vec<u8>) -> io::Result<Self> {
        Ok(serde_json::from_slice(&key.open(FACTS, sealed)?)?)
    }
}

/// Derives the key of a reference. The same reference of another owner has another key, and another name in the store.
pub(super) fn key(owner: &Principal, id: &str) -> io::Result<DerivedKey> {
    DerivedKey::new(id.as_bytes(), owner.identity().as_bytes())
}

/// Returns the hash of a caller, whatever agents it acts for. All its results count together.
pub(super) fn caller(owner: &Principal) -> [u8; 32] {
    Sha256::digest(owner.caller().identity()).into()
}
