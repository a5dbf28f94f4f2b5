//! PostgreSQL behind the statements that both engines understand.
//!
//! Some databases speak PostgreSQL's protocol and are made of several machines, such as CockroachDB and YugabyteDB. So nothing is used that
//! they lack, with these exceptions:
//!
//! | exception | reason |
//! |---|---|
//! | `LISTEN` and `pg_notify` | changes are seen at once. Without them, versions are read ten times a second. |
//! | `PARTITION BY RANGE`, and `CREATE TABLE .. PARTITION OF` | the audit trail loses its oldest days in an instant, and its tables do not become sparse. |
//! | `COLLATE "C"` for a column | texts are compared by their bytes, as in SQLite, whatever the collation of the database is. |
//! | `REPEATABLE READ` | all queries of a reader see the same state. |

mod changes;
mod connection;
mod locks;
mod migrate;
mod store;
mod tables;
mod tls;
mod value;

pub(super) use connection::PostgresConnection;
pub use store::PostgresStore;
pub(super) use tables::PostgresTables;
