//! Checks the chain of hashes from the first event to the last.

use super::{
    chain::{self, Hash},
    connections::Reader,
    notes,
};
use mgp_types::{audit::AuditEvent, context::ActorType};
use rusqlite::{Connection, OptionalExtension, Row, types::ValueRef};
use std::{fmt, path::PathBuf, str::FromStr};

/// The result of a check of the whole trail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditVerification {
    /// The number of events whose hashes were checked.
    pub events: u64,
    /// The number of events from before the trail had hashes. They cannot be verified.
    pub unchained: u64,
    /// The number and the hash of the last event. Keep them elsewhere to detect later whether the trail was rewritten.
    pub head: Option<AuditHead>,
    /// The number and the hash of the last event that retention removed ([`AuditRetention`]), if it had a hash. The check begins after it.
    ///
    /// [`AuditRetention`]: super::AuditRetention
    pub shortened: Option<AuditHead>,
    /// The first problems that were found, at most [`AuditVerification::MOST_PROBLEMS`].
    pub problems: Vec<AuditProblem>,
    /// The number of problems that were found.
    pub problem_count: u64,
}

/// The number and the hash of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditHead {
    /// The number of the event.
    pub seq: i64,
    /// The event's SHA-256, which covers all events before it.
    pub hash: Hash,
}

/// A problem in the chain of events.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditProblem {
    /// The content of an event, its number, or its position is not as it was stored.
    Changed {
        /// The number of the event.
        seq: i64,
    },
    /// Events are missing before an event.
    Missing {
        /// The number of the last event before the gap; 0 at the beginning of the trail.
        after: i64,
        /// The number of the event after the gap.
        seq: i64,
    },
    /// The end of the trail is missing, or the event there is another one.
    CutOff {
        /// The number of the last event in the trail.
        last: i64,
        /// The number of an event that was stored.
        stored: i64,
    },
    /// Some of the events from before the trail had hashes are missing.
    UnchainedMissing {
        /// The number of missing events.
        count: u64,
    },
    /// The oldest events were removed, and no event records the removal.
    Shortened {
        /// The number of the last event that was removed.
        through: i64,
    },
    /// The event of the given head was removed by retention.
    HeadRemoved {
        /// The number of the event.
        seq: i64,
        /// The number of the last event that was removed.
        through: i64,
    },
    /// Events of a database belong to a trail that it does not list.
    NoHead,
    /// A journal has records that its writer did not append, or that are not of this trail. An event names the reason.
    Journal {
        /// The file, which stays until it is removed.
        file: PathBuf,
    },
}

impl AuditVerification {
    /// The most problems that are listed.
    pub const MOST_PROBLEMS: usize = 20;

    /// Returns whether every event is as it was stored.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.problem_count == 0
    }

    pub(super) fn add(&mut self, problem: AuditProblem) {
        self.problem_count += 1;
        if self.problems.len() < Self::MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

impl AuditHead {
    /// Creates a head from the number and the hash of an event.
    #[must_use]
    pub fn new(seq: i64, hash: [u8; 32]) -> Self {
        Self { seq, hash }
    }
}

impl FromStr for AuditHead {
    type Err = String;

    /// Reads a number, a colon, and 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (seq, digits) = text.split_once(':')?;
            if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            let mut hash = Hash::default();
            for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
                *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
            }
            Some(Self { seq: seq.parse().ok()?, hash })
        };
        read().ok_or_else(|| "expected the number of an event, a colon, and 64 hexadecimal digits".to_owned())
    }
}

impl fmt::Display for AuditHead {
    /// Writes the form that `mgp audit verify --head` reads: the number, a colon, and the hash in hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.seq)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for AuditProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { seq } => write!(f, "event {seq} was changed, or is not in its place"),
            Self::Missing { after: 0, seq } => write!(f, "events before event {seq} are missing"),
            Self::Missing { after, seq } => {
                write!(f, "event {seq} does not follow event {after}: events between them are missing")
            }
            Self::CutOff { last, stored } => write!(
                f,
                "the end of the trail is missing or was written anew: event {stored} was stored, and the last one is {last}"
            ),
            Self::UnchainedMissing { count } => {
                write!(f, "{count} of the events from before the trail had hashes are missing")
            }
            Self::Shortened { through } => {
                write!(f, "the events up to {through} were removed, and no event of the trail says why")
            }
            Self::HeadRemoved { seq, through } => write!(
                f,
                "event {seq} of the given head was removed with all events up to {through}, because events are not kept for ever: \
                 give the head of a later event"
            ),
            Self::NoHead => f.write_str("the trail has events, and its head is missing"),
            Self::Journal { file } => write!(
                f,
                "{} has records that were not accepted: an event AUDIT_JOURNAL_DAMAGED names the reason; \
                 remove the file once it is examined",
                file.display()
            ),
        }
    }
}

/// Checks all events. `head` is a head that was kept elsewhere.
pub(super) fn verify(
    mut reader: Reader<'_>,
    head: Option<&AuditHead>,
) -> rusqlite::Result<AuditVerification> {
    let reading = reader.snapshot()?;
    let mut check = Check::new(&reading, head)?;
    for table in ["older_events", "events"] {
        let sql = format!(
            "SELECT hash, seq, at, event_type, actor_id, server_id, trace_id, event FROM {table} ORDER BY seq"
        );
        let mut select = reading.prepare(&sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            check.row(row)?;
        }
    }
    Ok(check.end())
}

/// The events that a check expects.
#[derive(Debug, Default)]
pub(super) struct Expectations {
    /// The number of events from before the trail had hashes.
    pub(super) unchained: i64,
    /// The number and the hash of the last event that retention removed.
    pub(super) shortened: (Option<i64>, Option<Hash>),
    /// Events that must exist.
    pub(super) heads: Vec<AuditHead>,
    /// True if an event of the trail must record a removal.
    pub(super) records_removals: bool,
}

/// An event as a check reads it.
pub(super) struct CheckedEvent<'a> {
    pub(super) seq: i64,
    pub(super) stored: Option<Hash>,
    /// The number and the values that the hash covers, in their order.
    pub(super) values: [ValueRef<'a>; 7],
}

/// A check of one chain.
pub(super) struct Check {
    result: AuditVerification,
    /// The number and the hash of the preceding event, if it has one.
    before: (i64, Option<Hash>),
    /// The events that must exist: the anchor, and one that was kept elsewhere.
    expected: Vec<(AuditHead, bool)>,
    /// The number of events from before the trail had hashes.
    unchained: u64,
    /// The number of the last removed event, 0 if none was or no event must record it, and the highest number of removed events that an event
    /// records.
    shortened: (i64, i64),
}

impl Check {
    fn new(reading: &Connection, head: Option<&AuditHead>) -> rusqlite::Result<Self> {
        let sql = "SELECT unchained, anchor_seq, anchor_hash, shortened_seq, shortened_hash FROM trail";
        let kept = reading.query_row(sql, [], |row| {
            let head = |at| -> rusqlite::Result<(Option<i64>, Option<Hash>)> {
                Ok((row.get(at)?, row.get(at + 1)?))
            };
            Ok((row.get::<_, i64>(0)?, head(1)?, head(3)?))
        });
        let (unchained, anchor, shortened) = kept.optional()?.unwrap_or_default();
        let through = shortened.0.unwrap_or_default();
        let removed = head.filter(|head| head.seq < through);
        let kept_head = head.filter(|_| removed.is_none());
        let heads = head_of(anchor).into_iter().chain(kept_head.copied()).collect();
        let mut check = Self::of(Expectations { unchained, shortened, heads, records_removals: true });
        if let Some(AuditHead { seq, .. }) = removed {
            check.result.add(AuditProblem::HeadRemoved { seq: *seq, through });
        }
        Ok(check)
    }

    /// Begins a check of a chain.
    pub(super) fn of(expectations: Expectations) -> Self {
        let Expectations { unchained, shortened, heads, records_removals } = expectations;
        let result = AuditVerification { shortened: head_of(shortened), ..Default::default() };
        let expected = heads.into_iter().map(|head| (head, result.shortened == Some(head))).collect();
        let through = shortened.0.unwrap_or_default();
        Self {
            result,
            before: (through, shortened.1),
            expected,
            unchained: u64::try_from(unchained).unwrap_or_default(),
            shortened: (if records_removals { through } else { 0 }, 0),
        }
    }

    fn row(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let stored = match row.get_ref(0)? {
            ValueRef::Blob(bytes) => Hash::try_from(bytes).ok(),
            _ => None,
        };
        let mut values = [ValueRef::Null; 7];
        for (value, column) in values.iter_mut().zip(1..) {
            *value = row.get_ref(column)?;
        }
        self.event(&CheckedEvent { seq: row.get(1)?, stored, values });
        Ok(())
    }

    /// Checks the next event. Returns the hash that it must have, unless it has that one.
    pub(super) fn event(&mut self, event: &CheckedEvent<'_>) -> Option<Hash> {
        let CheckedEvent { seq, stored, values } = event;
        let (seq, stored) = (*seq, *stored);
        let (last, before) = self.before;
        self.before = (seq, stored);
        // Only events from before the trail had hashes lack one, and they come first.
        if stored.is_none() && self.result.events == 0 && self.result.unchained < self.unchained {
            self.result.unchained += 1;
            return None;
        }
        let first = before.as_ref().map_or(ValueRef::Null, |hash| ValueRef::Blob(hash));
        let expected = chain::hash([first].into_iter().chain(*values));
        let is_wrong = stored != Some(expected);
        let [_, _, event_type, .., event] = values;
        if is_wrong {
            self.fault(last, seq);
        } else if *event_type == ValueRef::Text(notes::SHORTENED.as_bytes()) {
            let through = event.as_str().ok().and_then(through_of).unwrap_or_default();
            self.shortened.1 = self.shortened.1.max(through);
        }
        for (head, found) in &mut self.expected {
            *found |= head.seq == seq && Some(head.hash) == stored;
        }
        self.result.events += 1;
        self.result.head = stored.map(|hash| AuditHead { seq, hash });
        is_wrong.then_some(expected)
    }

    /// Notes an event that is not as it was stored, whatever its hash is.
    pub(super) fn unreadable(&mut self, seq: i64, stored: Option<Hash>) {
        let last = self.before.0;
        self.before = (seq, stored);
        self.fault(last, seq);
        self.result.events += 1;
    }

    fn fault(&mut self, last: i64, seq: i64) {
        self.result.add(if last + 1 < seq {
            AuditProblem::Missing { after: last, seq }
        } else {
            AuditProblem::Changed { seq }
        });
    }

    /// Ends the check.
    pub(super) fn end(mut self) -> AuditVerification {
        let last = self.before.0;
        for (head, found) in &self.expected {
            if !found {
                self.result.add(AuditProblem::CutOff { last, stored: head.seq });
            }
        }
        let (through, said) = self.shortened;
        if said < through {
            self.result.add(AuditProblem::Shortened { through });
        }
        let missing = self.unchained.saturating_sub(self.result.unchained);
        if missing > 0 {
            self.result.add(AuditProblem::UnchainedMissing { count: missing });
        }
        self.result
    }
}

fn head_of((seq, hash): (Option<i64>, Option<Hash>)) -> Option<AuditHead> {
    seq.zip(hash).map(|(seq, hash)| AuditHead { seq, hash })
}

/// Returns the number up to which events were removed, as an event records it.
fn through_of(event: &str) -> Option<i64> {
    let event: AuditEvent = serde_json::from_str(event).ok()?;
    // A server may report an event of any type.
    if event.actor.kind != ActorType::Kernel {
        return None;
    }
    event.details?.get("through_seq")?.as_str().parse().ok()
}
