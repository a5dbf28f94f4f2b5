//! A connection or transaction, whose statements block a thread.

use super::value::value;
use crate::{
    StoreError,
    sql::{Row, Value},
};
use deadpool_postgres::{ClientWrapper, Transaction};
use std::{fmt, future::Future, sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tokio_postgres::{Statement, types::ToSql};

/// The longest time for the answer to one statement. The server ends the statement before, see `STATEMENT`.
const ANSWER: Duration = Duration::from_secs(20);

/// A connection, or a transaction on one.
#[derive(Clone, Copy)]
pub(in crate::sql) struct PostgresConnection<'a> {
    pub(super) client: PostgresClient<'a>,
    pub(super) runtime: &'a Handle,
}

#[derive(Clone, Copy)]
pub(super) enum PostgresClient<'a> {
    Connection(&'a ClientWrapper),
    Transaction(&'a Transaction<'a>),
}

impl PostgresConnection<'_> {
    pub(in crate::sql) fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<usize, StoreError> {
        let changed = self.run(async {
            let statement = self.prepare(sql).await?;
            let params = references(params);
            match &self.client {
                PostgresClient::Connection(client) => client.execute(&statement, &params).await,
                PostgresClient::Transaction(transaction) => transaction.execute(&statement, &params).await,
            }
        })?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub(in crate::sql) fn rows(&self, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.run(async {
            let statement = self.prepare(sql).await?;
            let params = references(params);
            let found = match &self.client {
                PostgresClient::Connection(client) => client.query(&statement, &params).await,
                PostgresClient::Transaction(transaction) => transaction.query(&statement, &params).await,
            }?;
            let columns: Arc<[String]> =
                statement.columns().iter().map(|column| column.name().to_owned()).collect();
            let values = |row: &tokio_postgres::Row| {
                let columns = statement.columns().iter().enumerate();
                columns.map(|(at, column)| value(row, at, column.type_())).collect::<Result<Vec<_>, _>>()
            };
            found.iter().map(|row| Ok(Row::new(&columns, values(row)?))).collect()
        })
    }

    pub(super) fn row(&self, sql: &str, params: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, params)?.into_iter().next())
    }

    /// Runs several statements without parameters.
    pub(in crate::sql) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.run(async {
            match &self.client {
                PostgresClient::Connection(client) => client.batch_execute(sql).await,
                PostgresClient::Transaction(transaction) => transaction.batch_execute(sql).await,
            }
        })
    }

    async fn prepare(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        match &self.client {
            PostgresClient::Connection(client) => client.prepare_cached(sql).await,
            PostgresClient::Transaction(transaction) => transaction.prepare_cached(sql).await,
        }
    }

    fn run<T>(&self, run: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, StoreError> {
        self.runtime.block_on(answered(run))
    }
}

/// Waits for an answer of the database, for a bounded time.
pub(super) async fn answered<T>(
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(answer) => answer.map_err(|error| store_error(&error)),
        Err(_) => Err(StoreError::new(format!("the database gave no answer within {} s", ANSWER.as_secs()))),
    }
}

fn references<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// Returns an error of the driver.
pub(super) fn store_error(error: &tokio_postgres::Error) -> StoreError {
    StoreError::new(format!("PostgreSQL: {}", with_cause(error)))
}

/// Returns an error with its causes.
pub(super) fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

impl fmt::Debug for PostgresConnection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConnection").finish_non_exhaustive()
    }
}
