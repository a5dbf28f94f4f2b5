//! `mgp demo`: a guided tour of MGP. Every step goes over the wire, and every claim is checked against what came back.
//!
//! | module | content |
//! |---|---|
//! | `steps` | one file per step, all with the same structure |
//! | `stage` | the kernel, its three servers, the host and the operator |
//! | `wire` | records the bytes that the host and the operator send and receive |
//! | `trail` | compares the stored audit events with the steps |
//! | `report` | the output: text, or one JSON object per line |

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
