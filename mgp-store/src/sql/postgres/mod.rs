//! PostgreSQL behind the statements that both engines understand.
//!
//! Some databases speak PostgreSQL's protocol and are made of several machines, such as CockroachDB and YugabyteDB. So nothing is used that
//! they lack, with these exceptions:
//!
//! | exception | reason |
//! |---|---|
//! | `LISTEN` and `pg_notify` | changes are seen at once. Without them, versions are read ten times a second. |

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
