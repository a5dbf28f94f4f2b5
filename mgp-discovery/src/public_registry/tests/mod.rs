//! Tests of asking registries, and of turning their entries into servers.

mod recommendations;
mod requests;
mod ways;
