//! The store of questions about calls, in the SQLite file of permissions.

use super::{
    ArgumentsPattern, AskOutcome, ConfirmationBounds, ConfirmationKey, ConfirmationRow, ConfirmationState,
    ConfirmationStore,
};
use crate::permission::{DecisionError, RecordFuture, ReplacedRows, SqlitePermissionStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::{context::RiskLevel, json::RawJson};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, named_params, params, types::Type};

/// The table of questions. Times are in microseconds since 1970.
pub(in crate::permission) const CONFIRMATIONS: &str = "
CREATE TABLE confirmations (
    id TEXT NOT NULL PRIMARY KEY,
    agent_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    arguments_sha256 TEXT NOT NULL,
    definition_sha256 TEXT NOT NULL,
    arguments TEXT NOT NULL,
    risk TEXT NOT NULL,
    reason TEXT NOT NULL,
    every_time INTEGER NOT NULL,
    trace_id TEXT,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER,
    decided_by TEXT,
    decided_at INTEGER,
    UNIQUE (agent_id, server_id, tool_name, arguments_sha256, definition_sha256)
) STRICT;
";

const COLUMNS: &str = "id, agent_id, server_id, tool_name, arguments_sha256, definition_sha256, arguments, risk, reason, every_time, \
                       trace_id, state, asked_at, expires_at, decided_by, decided_at, session, session_only, pattern, intent, \
                       estimate";

/// Approvals for one session, and for patterns of arguments: a call can have a row for each session besides the one for all.
pub(in crate::permission) const SESSIONS_AND_PATTERNS: &str = "
ALTER TABLE confirmations RENAME TO confirmations_1;
CREATE TABLE confirmations (
    id TEXT NOT NULL PRIMARY KEY,
    agent_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    arguments_sha256 TEXT NOT NULL,
    definition_sha256 TEXT NOT NULL,
    arguments TEXT NOT NULL,
    risk TEXT NOT NULL,
    reason TEXT NOT NULL,
    every_time INTEGER NOT NULL,
    trace_id TEXT,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER,
    decided_by TEXT,
    decided_at INTEGER,
    session TEXT,
    session_only INTEGER NOT NULL DEFAULT 0,
    pattern TEXT
) STRICT;
INSERT INTO confirmations (id, agent_id, server_id, tool_name, arguments_sha256, definition_sha256, arguments, risk, reason, every_time,
    trace_id, state, asked_at, expires_at, decided_by, decided_at)
SELECT id, agent_id, server_id, tool_name, arguments_sha256, definition_sha256, arguments, risk, reason, every_time,
    trace_id, state, asked_at, expires_at, decided_by, decided_at FROM confirmations_1;
DROP TABLE confirmations_1;
CREATE UNIQUE INDEX confirmations_of_calls ON confirmations
    (agent_id, server_id, tool_name, definition_sha256, arguments_sha256, iif(session_only, session, ''));
";

/// The caller's statement of the call's purpose.
pub(in crate::permission) const INTENTS: &str = "ALTER TABLE confirmations ADD COLUMN intent TEXT;";

/// The time, the cost and the quota of the call.
pub(in crate::permission) const ESTIMATES: &str = "ALTER TABLE confirmations ADD COLUMN estimate TEXT;";

/// The condition that selects the rows of a call.
const OF_CALL: &str =
    "agent_id = ? AND server_id = ? AND tool_name = ? AND definition_sha256 = ? AND arguments_sha256 = ?";

#[async_trait]
impl ConfirmationStore for SqlitePermissionStore {
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM confirmations"))?;
            statement.query_map([], read)?.collect()
        };
        self.0.run(load).await
    }

    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError> {
        let id = id.to_owned();
        let find = move |connection: &mut Connection| {
            let sql = format!("SELECT {COLUMNS} FROM confirmations WHERE id = ?");
            connection.prepare_cached(&sql)?.query_row(params![id], read).optional()
        };
        self.0.run(find).await
    }

    async fn candidates(
        &self,
        key: &ConfirmationKey,
        session: Option<&str>,
        now: Timestamp,
    ) -> Result<Vec<ConfirmationRow>, StoreError> {
        let (key, session, now) = (key.clone(), session.map(str::to_owned), now.as_microsecond());
        let find = move |connection: &mut Connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM confirmations WHERE agent_id = ? AND server_id = ? AND tool_name = ? \
                 AND definition_sha256 = ? AND (arguments_sha256 = ? OR pattern IS NOT NULL) \
                 AND (NOT session_only OR session IS ?) AND ifnull(expires_at > ?, true)"
            );
            let call = params![
                key.agent_id,
                key.server_id,
                key.tool_name,
                key.definition_sha256,
                key.arguments_sha256,
                session,
                now
            ];
            connection.prepare_cached(&sql)?.query_map(call, read)?.collect()
        };
        self.0.run(find).await
    }

    async fn spend(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        let spend = move |connection: &mut Connection| {
            let sql = "DELETE FROM confirmations WHERE id = ? AND state = 'approved_once'";
            Ok(connection.prepare_cached(sql)?.execute(params![id])? > 0)
        };
        self.0.run(spend).await
    }

    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError> {
        let ask = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let asked = insert(&transaction, row, bounds)?;
            transaction.commit()?;
            Ok(asked)
        };
        self.0.run(ask).await
    }

    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let write = move |transaction: &Connection| {
            let key = &row.key;
            let sql = format!(
                "DELETE FROM confirmations WHERE {OF_CALL} AND iif(session_only, session, '') = ? AND id <> ? \
                 AND EXISTS (SELECT 1 FROM confirmations WHERE id = ? AND {})",
                guard(replaces)
            );
            transaction.prepare_cached(&sql)?.execute(params![
                key.agent_id,
                key.server_id,
                key.tool_name,
                key.definition_sha256,
                key.arguments_sha256,
                row.bound_to().unwrap_or_default(),
                row.id,
                row.id
            ])?;
            let sql = format!(
                "UPDATE confirmations SET state = :state, expires_at = :expires_at, decided_by = :decided_by, \
                 decided_at = :decided_at, session = :session, session_only = :session_only, pattern = :pattern WHERE id = :id AND {}",
                guard(replaces)
            );
            let changed = transaction.prepare_cached(&sql)?.execute(named_params! {
                ":id": row.id,
                ":state": row.state.as_str(),
                ":expires_at": row.expires_at.map(Timestamp::as_microsecond),
                ":decided_by": row.decided_by,
                ":decided_at": row.decided_at.map(Timestamp::as_microsecond),
                ":session": row.session,
                ":session_only": row.session_only,
                ":pattern": pattern(&row),
            })?;
            Ok(changed > 0)
        };
        Ok(self.0.write_with_event(event, write).await??)
    }

    async fn remove_confirmation(
        &self,
        id: &str,
        replaces: ReplacedRows,
    ) -> Result<Option<ConfirmationRow>, StoreError> {
        let id = id.to_owned();
        let remove = move |connection: &mut Connection| {
            let guard = guard(replaces);
            let sql = format!("DELETE FROM confirmations WHERE id = ? AND {guard} RETURNING {COLUMNS}");
            connection.prepare_cached(&sql)?.query_row(params![id], read).optional()
        };
        self.0.run(remove).await
    }

    async fn confirmations_version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await
    }
}

/// Returns the condition that a row must meet to be replaced or removed.
const fn guard(replaces: ReplacedRows) -> &'static str {
    match replaces {
        ReplacedRows::Questions | ReplacedRows::Undecided => "state = 'open'",
        ReplacedRows::All => "true",
    }
}

fn insert(
    transaction: &Connection,
    row: ConfirmationRow,
    bounds: ConfirmationBounds,
) -> rusqlite::Result<AskOutcome> {
    transaction
        .prepare_cached("DELETE FROM confirmations WHERE expires_at <= ?")?
        .execute(params![row.asked_at.as_microsecond()])?;
    let key = &row.key;
    let call =
        params![key.agent_id, key.server_id, key.tool_name, key.definition_sha256, key.arguments_sha256];
    let sql = format!("SELECT {COLUMNS} FROM confirmations WHERE {OF_CALL} AND NOT session_only");
    if let Some(there) = transaction.prepare_cached(&sql)?.query_row(call, read).optional()? {
        let again = there.clone().asked_again(&row);
        if again != there {
            transaction
                .prepare_cached(
                    "UPDATE confirmations SET every_time = ?, reason = ?, risk = ?, session = ?, estimate = ? WHERE id = ?",
                )?
                .execute(params![
                    again.every_time,
                    again.reason,
                    again.risk.as_str(),
                    again.session,
                    again.estimate,
                    again.id
                ])?;
        }
        return Ok(AskOutcome::Row(Box::new(again)));
    }
    let (of_agent, open, rows) = transaction
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE state = 'open' AND agent_id = ?), count(*) FILTER (WHERE state = 'open'), \
             count(*) FROM confirmations",
        )?
        .query_row(params![key.agent_id], |row| {
            let count = |column| {
                row.get::<_, u32>(column).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
            };
            Ok((count(0)?, count(1)?, count(2)?))
        })?;
    if let Some(bound) = bounds.reached(of_agent, open, rows) {
        return Ok(AskOutcome::Full(bound));
    }
    let sql = format!(
        "INSERT INTO confirmations ({COLUMNS}) VALUES (:id, :agent_id, :server_id, :tool_name, :arguments_sha256, \
         :definition_sha256, :arguments, :risk, :reason, :every_time, :trace_id, :state, :asked_at, :expires_at, :decided_by, \
         :decided_at, :session, :session_only, :pattern, :intent, :estimate)"
    );
    transaction.prepare_cached(&sql)?.execute(named_params! {
        ":id": row.id,
        ":agent_id": key.agent_id,
        ":server_id": key.server_id,
        ":tool_name": key.tool_name,
        ":arguments_sha256": key.arguments_sha256,
        ":definition_sha256": key.definition_sha256,
        ":arguments": row.arguments.as_str(),
        ":risk": row.risk.as_str(),
        ":reason": row.reason,
        ":every_time": row.every_time,
        ":trace_id": row.trace_id,
        ":state": row.state.as_str(),
        ":asked_at": row.asked_at.as_microsecond(),
        ":expires_at": row.expires_at.map(Timestamp::as_microsecond),
        ":decided_by": row.decided_by,
        ":decided_at": row.decided_at.map(Timestamp::as_microsecond),
        ":session": row.session,
        ":session_only": row.session_only,
        ":pattern": pattern(&row),
        ":intent": row.intent,
        ":estimate": row.estimate,
    })?;
    Ok(AskOutcome::Row(Box::new(row)))
}

fn pattern(row: &ConfirmationRow) -> Option<String> {
    row.pattern.as_ref().map(|pattern| pattern.to_json().as_str().to_owned())
}

/// Reads a row. An unreadable row is returned as a denial of its call, so that it approves nothing and can be named.
fn read(row: &Row<'_>) -> rusqlite::Result<ConfirmationRow> {
    read_whole(row).or_else(|problem| {
        let text = |column| {
            let value = row.get_ref(column)?;
            Ok::<_, rusqlite::Error>(String::from_utf8_lossy(value.as_bytes()?).into_owned())
        };
        Ok(ConfirmationRow {
            id: text(0)?,
            key: ConfirmationKey {
                agent_id: text(1)?,
                server_id: text(2)?,
                tool_name: text(3)?,
                arguments_sha256: text(4)?,
                definition_sha256: text(5)?,
            },
            arguments: RawJson::parse(text(6)?).unwrap_or_else(|_| RawJson::empty_object()),
            risk: RiskLevel::Dangerous,
            reason: format!("its row cannot be read ({problem})"),
            intent: None,
            estimate: None,
            every_time: true,
            trace_id: None,
            session: None,
            session_only: false,
            pattern: None,
            state: ConfirmationState::Unreadable,
            asked_at: time(row, 12).ok().flatten().unwrap_or(Timestamp::UNIX_EPOCH),
            expires_at: time(row, 13).ok().flatten(),
            decided_by: None,
            decided_at: None,
        })
    })
}

fn read_whole(row: &Row<'_>) -> rusqlite::Result<ConfirmationRow> {
    Ok(ConfirmationRow {
        id: row.get(0)?,
        key: ConfirmationKey {
            agent_id: row.get(1)?,
            server_id: row.get(2)?,
            tool_name: row.get(3)?,
            arguments_sha256: row.get(4)?,
            definition_sha256: row.get(5)?,
        },
        arguments: RawJson::parse(row.get::<_, String>(6)?).map_err(|error| unreadable(6, error.into()))?,
        risk: named(row, 7, &[RiskLevel::Safe, RiskLevel::Moderate, RiskLevel::Dangerous], |risk| {
            risk.as_str()
        })?,
        reason: row.get(8)?,
        intent: row.get(19)?,
        estimate: row.get(20)?,
        every_time: row.get(9)?,
        trace_id: row.get(10)?,
        state: named(row, 11, &ConfirmationState::ALL, ConfirmationState::as_str)?,
        asked_at: time(row, 12)?.unwrap_or(Timestamp::UNIX_EPOCH),
        expires_at: time(row, 13)?,
        decided_by: row.get(14)?,
        decided_at: time(row, 15)?,
        session: row.get(16)?,
        session_only: row.get(17)?,
        pattern: row.get::<_, Option<String>>(18)?.map(read_pattern).transpose()?,
    })
}

fn read_pattern(text: String) -> rusqlite::Result<ArgumentsPattern> {
    let json = RawJson::parse(text).map_err(|error| unreadable(18, error.into()))?;
    ArgumentsPattern::from_json(&json).map_err(|error| unreadable(18, error.into()))
}

/// Reads a value from its name in a column.
fn named<T: Copy>(
    row: &Row<'_>,
    column: usize,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    all.iter()
        .copied()
        .find(|value| name(*value) == text)
        .ok_or_else(|| unreadable(column, format!("{text:?} is unknown").into()))
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let Some(micros) = row.get::<_, Option<i64>>(column)? else { return Ok(None) };
    Timestamp::from_microsecond(micros).map(Some).map_err(|error| unreadable(column, error.into()))
}

fn unreadable(column: usize, error: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
}
