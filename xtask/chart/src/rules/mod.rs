//! The rules. Each returns its findings as sentences.
//!
//! | module | rules on |
//! |---|---|
//! | `manifests` | the manifests of one case: all of the next four |
//! | `configuration` | the gateway's configuration, and the addresses in it |
//! | `pod` | the rights, the files and the probes of a pod |
//! | `network` | selectors, and the ports that others reach |
//! | `rollout` | the replacement of replicas, and the number of them |
//! | `changes` | several cases: a change replaces the pods |
//! | `files` | the files of the chart |

mod changes;
mod configuration;
mod files;
mod manifests;
mod network;
mod pod;
mod rollout;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub(crate) use changes::of_cases;
pub(crate) use files::{ChartFiles, of_files};
pub(crate) use manifests::of_manifests;
