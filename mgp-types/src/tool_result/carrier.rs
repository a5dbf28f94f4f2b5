//! The member of a result's `_meta` for parts that MCP has no place for.

use super::{ErrorDetail, Provenance, ResultStatus};
use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The key in a result's `_meta`.
pub const RESULT_KEY: &str = "dev.cloto/result";

open_object! {
    /// The value of the member. An unreadable value counts as absent.
    #[derive(Default)]
    pub struct ResultMember {
        /// The status.
        lenient status: ResultStatus = "status",
        /// The error.
        lenient error: ErrorDetail = "error",
        /// The explanation.
        lenient explanation: String = "explanation",
        /// The sources of the data.
        lenient provenance: Sources = "provenance",
        /// The trace of a call that failed, as a gateway writes it.
        lenient trace_id: String = "trace_id",
    }
}

/// The sources of data: a single one directly, several as a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sources(pub Vec<Provenance>);

/// The most sources that are read from one result.
pub(super) const MAX_SOURCES: usize = 64;

impl ResultMember {
    /// Reads the member from a result's `_meta`. Sources are also read where the proposals have them, in the member `provenance`.
    pub(super) fn of(meta: Option<&RawObject>) -> Self {
        let Some(meta) = meta else { return Self::default() };
        let member = meta.object(RESULT_KEY).and_then(|member| Self::from_object(member).ok());
        let mut member = member.unwrap_or_default();
        if member.provenance.is_none() {
            member.provenance = meta.get("provenance").and_then(|sources| sources.decode().ok());
        }
        member
    }

    /// Writes the member into a `_meta`; unknown members stay there.
    pub(super) fn put(&self, meta: &mut RawObject) -> Result<(), JsonError> {
        let mut written = RawObject::from_json(&RawJson::from_value(self)?)?;
        for (key, value) in meta.object(RESULT_KEY).iter().flat_map(RawObject::iter) {
            if written.get(key).is_none() {
                written.insert_named(key, value.clone());
            }
        }
        meta.insert(RESULT_KEY, written.to_json());
        Ok(())
    }
}

impl Serialize for Sources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Sources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        if json.is_object() {
            return json.decode().map(|one| Self(vec![one])).map_err(serde::de::Error::custom);
        }
        let several: Vec<RawJson> = json.decode().map_err(serde::de::Error::custom)?;
        // An unreadable source does not hide the others.
        Ok(Self(several.iter().take(MAX_SOURCES).filter_map(|one| one.decode().ok()).collect()))
    }
}
