//! An event with its columns.

use super::super::chain::Hash;
use mgp_store::sql::{Row, Value};
use rusqlite::types::ValueRef;
use serde::Deserialize;
use std::borrow::Cow;

/// An event as a trail keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct StoredEvent {
    pub(in super::super) seq: i64,
    /// The time in microseconds since 1970.
    pub(in super::super) at: i64,
    pub(in super::super) texts: EventTexts,
    /// `None` for an event from before trails had hashes.
    pub(in super::super) hash: Option<Hash>,
}

/// The texts of an event: its type, actor, server and trace, and the event itself as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct EventTexts {
    pub(in super::super) event_type: String,
    pub(in super::super) actor_id: String,
    pub(in super::super) server_id: Option<String>,
    pub(in super::super) trace_id: Option<String>,
    pub(in super::super) event: String,
}

/// The columns of the table of events, in the order of [`StoredEvent::values`].
pub(super) const COLUMNS: &str =
    "trail, seq, day, at, event_type, actor_id, server_id, trace_id, tool_name, result, event, raw, hash";
/// The number of these columns.
pub(super) const WIDTH: usize = 13;

/// The texts of a row with the character NUL, which PostgreSQL cannot store. Its other columns have a replacement instead.
type RawTexts<'a> = (Cow<'a, str>, Cow<'a, str>, Option<Cow<'a, str>>, Option<Cow<'a, str>>, Cow<'a, str>);

/// The members of an event that columns have for filters.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct FilteredMembers {
    result: Option<String>,
    target: Option<FilteredTarget>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct FilteredTarget {
    tool_name: Option<String>,
}

impl StoredEvent {
    /// Returns the number and the values that the hash covers, in their order.
    pub(in super::super) fn hashed(&self) -> [ValueRef<'_>; 7] {
        let EventTexts { event_type, actor_id, server_id, trace_id, event } = &self.texts;
        [
            ValueRef::Integer(self.seq),
            ValueRef::Integer(self.at),
            ValueRef::Text(event_type.as_bytes()),
            ValueRef::Text(actor_id.as_bytes()),
            server_id.as_ref().map_or(ValueRef::Null, |id| ValueRef::Text(id.as_bytes())),
            trace_id.as_ref().map_or(ValueRef::Null, |id| ValueRef::Text(id.as_bytes())),
            ValueRef::Text(event.as_bytes()),
        ]
    }

    /// Returns the size of the texts, in bytes.
    pub(in super::super) fn size(&self) -> usize {
        let EventTexts { event_type, actor_id, server_id, trace_id, event } = &self.texts;
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        event_type.len() + actor_id.len() + optional(server_id) + optional(trace_id) + event.len()
    }

    /// Returns the values of the columns.
    pub(super) fn values<'a>(&'a self, trail: &'a str, day: i64) -> [Value<'a>; WIDTH] {
        let EventTexts { event_type, actor_id, server_id, trace_id, event } = &self.texts;
        let (tool_name, result) = filtered(event);
        let mut has_nul = false;
        let mut shown = |text: Option<Cow<'a, str>>| match text {
            None => Value::Null,
            Some(text) if text.contains('\0') => {
                has_nul = true;
                Value::Text(without_nul(&text).into())
            }
            Some(text) => Value::Text(text),
        };
        let [event_type, actor, event] =
            [event_type, actor_id, event].map(|text| shown(Some(text.as_str().into())));
        let [server, trace] = [server_id, trace_id].map(|text| shown(text.as_deref().map(Cow::Borrowed)));
        let [tool, result] = [tool_name, result].map(|text| shown(text.map(Cow::Owned)));
        let raw = if has_nul { Value::Bytes(self.texts.to_raw().into()) } else { Value::Null };
        let hash = self.hash.as_ref().map_or(Value::Null, |hash| Value::Bytes(hash.as_slice().into()));
        [
            Value::from(trail),
            self.seq.into(),
            day.into(),
            self.at.into(),
            event_type,
            actor,
            server,
            trace,
            tool,
            result,
            event,
            raw,
            hash,
        ]
    }

    /// Reads an event from its columns.
    ///
    /// # Errors
    /// The column that is not as it was stored.
    pub(super) fn read(row: &Row) -> Result<Self, String> {
        let owned = |column: &str| Ok::<_, String>(row.text(column)?.map(str::to_owned));
        let needed = |column: &str| Ok::<_, String>(row.needed(column)?.to_owned());
        let texts = EventTexts {
            event_type: needed("event_type")?,
            actor_id: needed("actor_id")?,
            server_id: owned("server_id")?,
            trace_id: owned("trace_id")?,
            event: needed("event")?,
        };
        let texts = match row.bytes("raw")? {
            None => texts,
            Some(raw) => {
                let read = EventTexts::of_raw(raw).ok_or("invalid raw: expected an array of five texts")?;
                if read.without_nul() != texts {
                    return Err("the column raw is not equal to the other columns".to_owned());
                }
                read
            }
        };
        let (tool_name, result) = filtered(&texts.event);
        for (column, expected) in [("tool_name", tool_name), ("result", result)] {
            if row.text(column)? != expected.map(|text| without_nul(&text)).as_deref() {
                return Err(format!("the column {column} is not equal to the one in the event"));
            }
        }
        let hash = row.bytes("hash")?.map(Hash::try_from).transpose();
        Ok(Self {
            seq: row.needed_integer("seq")?,
            at: row.needed_integer("at")?,
            texts,
            hash: hash.map_err(|_| "invalid hash: expected 32 bytes")?,
        })
    }
}

impl EventTexts {
    fn to_raw(&self) -> Vec<u8> {
        let Self { event_type, actor_id, server_id, trace_id, event } = self;
        // Texts can always be written as JSON.
        serde_json::to_vec(&(event_type, actor_id, server_id, trace_id, event)).unwrap_or_default()
    }

    fn of_raw(raw: &[u8]) -> Option<Self> {
        let (event_type, actor_id, server_id, trace_id, event): RawTexts<'_> =
            serde_json::from_slice(raw).ok()?;
        Some(Self {
            event_type: event_type.into_owned(),
            actor_id: actor_id.into_owned(),
            server_id: server_id.map(Cow::into_owned),
            trace_id: trace_id.map(Cow::into_owned),
            event: event.into_owned(),
        })
    }

    fn without_nul(&self) -> Self {
        Self {
            event_type: without_nul(&self.event_type),
            actor_id: without_nul(&self.actor_id),
            server_id: self.server_id.as_deref().map(without_nul),
            trace_id: self.trace_id.as_deref().map(without_nul),
            event: without_nul(&self.event),
        }
    }
}

/// Returns the tool and the result of an event, for filters.
fn filtered(event: &str) -> (Option<String>, Option<String>) {
    let members: FilteredMembers = serde_json::from_str(event).unwrap_or_default();
    (members.target.and_then(|target| target.tool_name), members.result)
}

/// Returns a text that PostgreSQL can store.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
