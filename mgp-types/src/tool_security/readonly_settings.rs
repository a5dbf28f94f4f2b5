//! The operator's settings of the validator `readonly`.

use serde::{Deserialize, Serialize};

/// The operator's settings of the validator `readonly` for a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReadonlySettings {
    /// The dialect in which `readonly` reads SQL. Default: every dialect that can read a text must agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-also" = {"mariadb": "mysql", "postgresql": "postgres", "sqlserver": "mssql"})))]
    pub dialect: Option<SqlDialect>,
}

spelled! {
    /// A dialect of SQL.
    pub enum SqlDialect as "SQL dialect" {
        /// The standard.
        Ansi = "ansi",
        /// Google's BigQuery.
        BigQuery = "bigquery",
        /// ClickHouse.
        ClickHouse = "clickhouse",
        /// DuckDB.
        DuckDb = "duckdb",
        /// Microsoft SQL Server.
        MsSql = "mssql" | "sqlserver",
        /// MySQL and MariaDB.
        MySql = "mysql" | "mariadb",
        /// Oracle Database.
        Oracle = "oracle",
        /// PostgreSQL.
        Postgres = "postgres" | "postgresql",
        /// Snowflake.
        Snowflake = "snowflake",
        /// SQLite.
        Sqlite = "sqlite",
    }
}
