//! Bench `replicas`: a tool call through one, two and three gateways that share a PostgreSQL database, compared with one gateway whose
//! state is in SQLite. Hosts call the replicas directly and in turn, so the cost of a balancer is in no number.
//!
//! | file | contents |
//! |---|---|
//! | `run` | the gateways, the loads and the rounds in turn |
//! | `fleet` | replicas on one database |
//! | `database` | the schema of a fleet, and its size |
//! | `caller` | a host that calls replicas in turn |
//! | `turns` | the rounds of each way to the server |
//! | `storage` | the bytes that an event takes |
//! | `files` | the files of a trail |
//! | `rows` | the rows |

mod caller;
mod database;
mod files;
mod fleet;
mod rows;
mod run;
mod storage;
mod turns;

pub(crate) use run::run;
