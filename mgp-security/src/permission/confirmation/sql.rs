//! The store of questions about calls, in the tables of permissions.

use super::{
    ArgumentsPattern, AskOutcome, ConfirmationBounds, ConfirmationKey, ConfirmationRow, ConfirmationState,
    ConfirmationStore,
};
use crate::{
    permission::{DecisionError, RecordFuture, ReplacedRows, SqlPermissionStore, StoreError},
    stored_rows::time,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::sql::{Connection, Row, Value, params};
use mgp_types::{context::RiskLevel, json::RawJson};

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
    (agent_id, server_id, tool_name, definition_sha256, arguments_sha256, (CASE WHEN session_only <> 0 THEN session ELSE '' END));
";

/// The caller's statement of the call's purpose.
pub(in crate::permission) const INTENTS: &str = "ALTER TABLE confirmations ADD COLUMN intent TEXT;";

/// The time, the cost and the quota of the call.
pub(in crate::permission) const ESTIMATES: &str = "ALTER TABLE confirmations ADD COLUMN estimate TEXT;";

/// The condition that selects the rows of a call ($1 to $5).
const OF_CALL: &str = "agent_id = $1 AND server_id = $2 AND tool_name = $3 AND definition_sha256 = $4 AND arguments_sha256 = $5";

/// Returns the parameters of [`OF_CALL`], followed by others.
fn of_call<'a>(key: &'a ConfirmationKey, others: impl IntoIterator<Item = Value<'a>>) -> Vec<Value<'a>> {
    let ConfirmationKey { agent_id, server_id, tool_name, definition_sha256, arguments_sha256 } = key;
    let call = params![agent_id, server_id, tool_name, definition_sha256, arguments_sha256];
    call.into_iter().chain(others).collect()
}

#[async_trait]
impl ConfirmationStore for SqlPermissionStore {
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError> {
        let load = |connection: &Connection<'_>| {
            connection.rows(&format!("SELECT {COLUMNS} FROM confirmations"), &[])
        };
        Ok(self.0.read(load).await?.iter().map(read).collect())
    }

    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError> {
        let id = id.to_owned();
        let find = move |connection: &Connection<'_>| {
            connection.row(&format!("SELECT {COLUMNS} FROM confirmations WHERE id = $1"), &params![id])
        };
        Ok(self.0.read(find).await?.as_ref().map(read))
    }

    async fn candidates(
        &self,
        key: &ConfirmationKey,
        session: Option<&str>,
        now: Timestamp,
    ) -> Result<Vec<ConfirmationRow>, StoreError> {
        let (key, session, now) = (key.clone(), session.map(str::to_owned), now.as_microsecond());
        let find = move |connection: &Connection<'_>| {
            let sql = format!(
                "SELECT {COLUMNS} FROM confirmations WHERE agent_id = $1 AND server_id = $2 AND tool_name = $3 \
                 AND definition_sha256 = $4 AND (arguments_sha256 = $5 OR pattern IS NOT NULL) \
                 AND (session_only = 0 OR session IS NOT DISTINCT FROM $6) AND coalesce(expires_at > $7, true)"
            );
            connection.rows(&sql, &of_call(&key, params![session.as_deref(), now]))
        };
        Ok(self.0.read(find).await?.iter().map(read).collect())
    }

    async fn spend(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        let spend = move |connection: &Connection<'_>| {
            let sql = "DELETE FROM confirmations WHERE id = $1 AND state = 'approved_once'";
            Ok(connection.execute(sql, &params![id])? > 0)
        };
        self.0.write(spend).await
    }

    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError> {
        self.0.write(move |connection| insert(connection, row, bounds)).await
    }

    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let write = move |connection: &Connection<'_>| {
            let sql = format!(
                "DELETE FROM confirmations WHERE {OF_CALL} AND CASE WHEN session_only <> 0 THEN session ELSE '' END = $6 AND id <> $7 \
                 AND EXISTS (SELECT 1 FROM confirmations WHERE id = $7 AND {})",
                guard(replaces)
            );
            let others = params![row.bound_to().unwrap_or_default(), &row.id];
            connection.execute(&sql, &of_call(&row.key, others))?;
            let sql = format!(
                "UPDATE confirmations SET state = $2, expires_at = $3, decided_by = $4, decided_at = $5, session = $6, session_only = $7, \
                 pattern = $8 WHERE id = $1 AND {}",
                guard(replaces)
            );
            let changed = connection.execute(
                &sql,
                &params![
                    &row.id,
                    row.state.as_str(),
                    row.expires_at.map(Timestamp::as_microsecond),
                    row.decided_by.as_deref(),
                    row.decided_at.map(Timestamp::as_microsecond),
                    row.session.as_deref(),
                    row.session_only,
                    pattern(&row),
                ],
            )?;
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
        let remove = move |connection: &Connection<'_>| {
            let guard = guard(replaces);
            let sql = format!("DELETE FROM confirmations WHERE id = $1 AND {guard} RETURNING {COLUMNS}");
            connection.row(&sql, &params![id])
        };
        Ok(self.0.write(remove).await?.as_ref().map(read))
    }

    async fn confirmations_version(&self) -> Result<i64, StoreError> {
        self.0.version().await
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
    connection: &Connection<'_>,
    row: ConfirmationRow,
    bounds: ConfirmationBounds,
) -> Result<AskOutcome, StoreError> {
    let expired = "DELETE FROM confirmations WHERE expires_at <= $1";
    connection.execute(expired, &params![row.asked_at.as_microsecond()])?;
    let key = &row.key;
    let sql = format!("SELECT {COLUMNS} FROM confirmations WHERE {OF_CALL} AND session_only = 0");
    if let Some(there) = connection.row(&sql, &of_call(key, []))?.as_ref().map(read) {
        let again = there.clone().asked_again(&row);
        if again != there {
            connection.execute(
                "UPDATE confirmations SET every_time = $2, reason = $3, risk = $4, session = $5, estimate = $6 WHERE id = $1",
                &params![
                    &again.id,
                    again.every_time,
                    &again.reason,
                    again.risk.as_str(),
                    again.session.as_deref(),
                    again.estimate.as_deref(),
                ],
            )?;
        }
        return Ok(AskOutcome::Row(Box::new(again)));
    }
    let counts = connection.row(
        "SELECT count(*) FILTER (WHERE state = 'open' AND agent_id = $1) AS of_agent, \
         count(*) FILTER (WHERE state = 'open') AS open, count(*) AS whole FROM confirmations",
        &params![&key.agent_id],
    )?;
    let count = |column| {
        let count = counts.as_ref().map_or(Ok(0), |row| row.needed_integer(column));
        count.map(|count| usize::try_from(count).unwrap_or(usize::MAX)).map_err(StoreError::new)
    };
    if let Some(bound) = bounds.reached(count("of_agent")?, count("open")?, count("whole")?) {
        return Ok(AskOutcome::Full(bound));
    }
    let sql = format!(
        "INSERT INTO confirmations ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
         $18, $19, $20, $21)"
    );
    connection.execute(
        &sql,
        &params![
            &row.id,
            &key.agent_id,
            &key.server_id,
            &key.tool_name,
            &key.arguments_sha256,
            &key.definition_sha256,
            row.arguments.as_str(),
            row.risk.as_str(),
            &row.reason,
            row.every_time,
            row.trace_id.as_deref(),
            row.state.as_str(),
            row.asked_at.as_microsecond(),
            row.expires_at.map(Timestamp::as_microsecond),
            row.decided_by.as_deref(),
            row.decided_at.map(Timestamp::as_microsecond),
            row.session.as_deref(),
            row.session_only,
            pattern(&row),
            row.intent.as_deref(),
            row.estimate.as_deref(),
        ],
    )?;
    Ok(AskOutcome::Row(Box::new(row)))
}

fn pattern(row: &ConfirmationRow) -> Option<String> {
    row.pattern.as_ref().map(|pattern| pattern.to_json().as_str().to_owned())
}

/// Reads a row. An unreadable row is returned as a denial of its call, so that it approves nothing and can be named.
fn read(row: &Row) -> ConfirmationRow {
    read_whole(row).unwrap_or_else(|problem| {
        let text = |column| match row.value(column) {
            Ok(Value::Text(text)) => text.clone().into_owned(),
            Ok(Value::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        ConfirmationRow {
            id: text("id"),
            key: ConfirmationKey {
                agent_id: text("agent_id"),
                server_id: text("server_id"),
                tool_name: text("tool_name"),
                arguments_sha256: text("arguments_sha256"),
                definition_sha256: text("definition_sha256"),
            },
            arguments: RawJson::parse(text("arguments")).unwrap_or_else(|_| RawJson::empty_object()),
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
            asked_at: time(row, "asked_at").ok().flatten().unwrap_or(Timestamp::UNIX_EPOCH),
            expires_at: time(row, "expires_at").ok().flatten(),
            decided_by: None,
            decided_at: None,
        }
    })
}

fn read_whole(row: &Row) -> Result<ConfirmationRow, String> {
    let needed = |column| row.needed(column).map(str::to_owned);
    let text = |column| row.text(column).map(|text| text.map(str::to_owned));
    Ok(ConfirmationRow {
        id: needed("id")?,
        key: ConfirmationKey {
            agent_id: needed("agent_id")?,
            server_id: needed("server_id")?,
            tool_name: needed("tool_name")?,
            arguments_sha256: needed("arguments_sha256")?,
            definition_sha256: needed("definition_sha256")?,
        },
        arguments: RawJson::parse(needed("arguments")?)
            .map_err(|error| format!("invalid arguments: {error}"))?,
        risk: named(row, "risk", &[RiskLevel::Safe, RiskLevel::Moderate, RiskLevel::Dangerous], |risk| {
            risk.as_str()
        })?,
        reason: needed("reason")?,
        intent: text("intent")?,
        estimate: text("estimate")?,
        every_time: row.flag("every_time")?,
        trace_id: text("trace_id")?,
        state: named(row, "state", &ConfirmationState::ALL, ConfirmationState::as_str)?,
        asked_at: time(row, "asked_at")?.unwrap_or(Timestamp::UNIX_EPOCH),
        expires_at: time(row, "expires_at")?,
        decided_by: text("decided_by")?,
        decided_at: time(row, "decided_at")?,
        session: text("session")?,
        session_only: row.flag("session_only")?,
        pattern: text("pattern")?.map(read_pattern).transpose()?,
    })
}

fn read_pattern(text: String) -> Result<ArgumentsPattern, String> {
    RawJson::parse(text)
        .map_err(|error| error.to_string())
        .and_then(|json| ArgumentsPattern::from_json(&json).map_err(|error| error.to_string()))
        .map_err(|error| format!("invalid pattern: {error}"))
}

/// Reads a value from its name in a column.
fn named<T: Copy>(row: &Row, column: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    let text = row.needed(column)?;
    let found = all.iter().copied().find(|value| name(*value) == text);
    found.ok_or_else(|| format!("invalid {column}: {text:?} is unknown"))
}
