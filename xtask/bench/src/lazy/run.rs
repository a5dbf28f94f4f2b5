//! Starts the gateways in turns.

use super::{gateway::Gateway, rows::rows};
use crate::{
    gateway::program,
    measure::{Settings, run_prepared},
    report::Row,
};
use std::path::PathBuf;

/// The number of servers of the large configuration.
const MANY: usize = 100;
/// The number of starts for each round.
const STARTS: usize = 3;

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    let starts = settings.rounds * STARTS;
    run_prepared(settings, program(settings), |_, program| measure(program, starts))
}

async fn measure(program: PathBuf, starts: usize) -> Result<Vec<Row>, String> {
    let server = std::env::current_exe().map_err(|error| error.to_string())?;
    let one = Gateway::with(&program, &server, 1).await?;
    let many = Gateway::with(&program, &server, MANY).await?;
    let (mut with_one, mut with_many) = (Vec::new(), Vec::new());
    for _ in 0..starts {
        with_one.push(one.first_search().await?);
        with_many.push(many.first_search().await?);
    }
    Ok(rows(MANY, &with_many, &with_one))
}
