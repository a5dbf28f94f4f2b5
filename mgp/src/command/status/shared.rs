//! The parts of the report that all gateways with one state share, as far as they can be read.

use crate::{
    command::approve::OpenQuestions,
    error::CliError,
    replica_report::{self, ReportedReplica},
    setup::Setup,
};

/// The replicas, and the open questions and transactions of all gateways.
#[derive(Debug)]
pub(super) struct SharedState {
    /// All replicas, also those of this machine.
    pub(super) replicas: Vec<ReportedReplica>,
    pub(super) questions: OpenQuestions,
    /// The number of transactions that were rolled back in part.
    pub(super) rolled_back_in_part: usize,
}

impl SharedState {
    /// Reads the state; without the replicas unless `with_replicas` is true.
    pub(super) async fn read(setup: &Setup, with_replicas: bool) -> Result<Self, CliError> {
        let replicas = if with_replicas { replica_report::read(setup).await? } else { Vec::new() };
        Ok(Self {
            replicas,
            questions: OpenQuestions::count(setup).await?,
            rolled_back_in_part: setup.state.transactions().await?.count_rolled_back_in_part().await?,
        })
    }
}

/// Returns the error of a state that could not be read from the database, with advice.
pub(super) fn unreadable(error: &CliError) -> CliError {
    let problem = format!(
        "the replicas on other machines, the open questions and the transactions cannot be read from the database: {}",
        error.message()
    );
    CliError::new(error.exit, problem)
        .help("check that the database of `store.url` runs and can be reached from this machine, then run `mgp status` again")
}
