//! A host that calls tools of all kinds.

use super::{
    Context,
    attempt::{Attempt, params, pause},
    keyed, saga,
};
use crate::{
    hosts::Host,
    replicas::{machines::Role, tools},
};
use serde_json::json;
use std::ops::Range;

/// The bounds of the pause after an action, in milliseconds.
const PAUSE_MS: Range<u64> = 400..1200;
/// The bounds of the time that a tool takes, in milliseconds.
pub(super) const WORK_MS: Range<u64> = 0..200;

/// A host, and the numbers of its operations.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) context: Context,
    pub(super) host: Host,
    /// The number of the agent.
    pub(super) agent: usize,
    number: usize,
    operations: u64,
}

/// Calls tools until the end of the run.
pub(crate) async fn work(context: Context, number: usize, agents: usize) {
    let agent = number % agents;
    let mut host = context.host(Role::Worker(agent), context.balancer, number);
    pause(&mut host, 0..1000).await;
    let mut worker = Worker { context, host, agent, number, operations: 0 };
    while !worker.context.is_stopped() {
        match worker.host.random.below(100) {
            0..36 => worker.note().await,
            36..42 => worker.rush().await,
            42..65 => keyed::call(&mut worker).await,
            65..76 => saga::run(&mut worker).await,
            76..88 => worker.ask().await,
            88..96 => worker.list().await,
            _ => worker.vanish(),
        }
        pause(&mut worker.host, PAUSE_MS).await;
    }
    worker.host.say_goodbye().await;
}

impl Worker {
    /// Returns a name that no other operation of the run has.
    pub(super) fn operation(&mut self) -> String {
        self.operations += 1;
        format!("host{}-{}", self.number, self.operations)
    }

    /// Returns the name of a tool of one of the servers.
    pub(super) fn tool(&mut self, tool: &str) -> String {
        let server = if self.host.random.below(2) == 0 { tools::LOCAL } else { tools::REMOTE };
        format!("{tool}_{server}")
    }

    async fn note(&mut self) {
        let (tool, operation) = (self.tool("note"), self.operation());
        let params = params(&tool, &operation, self.host.random.within(WORK_MS), json!({}));
        if let Attempt::Done(_) = self.context.attempt(&mut self.host, "note", params).await {
            self.context.outcomes.acknowledge("note", &operation);
        }
    }

    async fn rush(&mut self) {
        let operation = self.operation();
        self.context.rush(&mut self.host, operation).await;
    }

    async fn ask(&mut self) {
        let (tool, operation) = (self.tool("ask"), self.operation());
        let params = params(&tool, &operation, 0, json!({}));
        if let Attempt::Done(_) = self.context.attempt(&mut self.host, "ask", params).await {
            self.context.outcomes.acknowledge("ask", &operation);
        }
    }

    async fn list(&mut self) {
        if self.context.open(&mut self.host).await {
            self.host.list().await;
        }
    }

    /// Disappears without notice.
    fn vanish(&mut self) {
        self.host.connection = None;
        self.host.session = None;
    }
}
