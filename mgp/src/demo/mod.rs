//! `mgp demo`: a guided tour of MGP. Every step goes over the wire, and every claim is checked against what came back.
//!
//! | module | what it holds |
//! |---|---|
//! | `steps` | one file a step, all of one shape |
//! | `stage` | the kernel, its three servers, the host and the operator |
//! | `wire` | records the bytes that host and operator send and get |
//! | `trail` | holds the stored audit events against what the steps did |
//! | `report` | what is printed: text for people, one JSON object a line for programs |

mod calls;
mod findings;
mod report;
mod run;
mod stage;
mod steps;
mod trail;
mod user;
mod wire;
mod within;

pub(crate) use run::run;
