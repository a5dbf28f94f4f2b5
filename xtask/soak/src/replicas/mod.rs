//! `cargo xtask soak --replicas N`: replicas of the program `mgp`, a balancer and PostgreSQL, each in its own network namespace, while
//! replicas are killed and partitioned, and the database is restarted and paused.
//!
//! | module | contents |
//! |---|---|
//! | `network` | the namespaces, and the partitions between them |
//! | `machines` | the processes: database, balancer, replicas, and the tool server over HTTP |
//! | `effects` | the file in which tools note that they ran |
//! | `tools` | the tool servers, over stdio in each replica and over HTTP |
//! | `hosts` | the hosts, and the answers that they got |
//! | `faults` | the schedule from the seed, and its execution |
//! | `checks` | the comparison of answers, effects, reports and audit trails |
//! | `run` | one run |
//! | `report` | the table |

mod checks;
mod effects;
mod faults;
mod hosts;
mod machines;
mod network;
mod report;
mod run;
mod tools;

pub(crate) use run::run;
pub(crate) use tools::serve as serve_tools;
