//! Tests of asking registries, and of turning their entries into servers.

mod requests;
mod ways;
