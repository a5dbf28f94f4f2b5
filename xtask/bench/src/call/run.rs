//! Runs the contestants one against the other.

use super::{
    forwarder,
    kernel::{self, Audit},
    ours::Ours,
    peer::Rmcp,
    rows::{CONCURRENT, SEQUENTIAL, kernel_rows, rows},
};
use crate::{
    measure::{Settings, all_at_once, compare, one_by_one, run_within},
    report::Row,
};

/// How many callers share a connection in the second load; the rows' names say it too.
const CALLERS: usize = 64;

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    run_within(settings, contests)
}

async fn contests(settings: Settings) -> Result<Vec<Row>, String> {
    let settings = &settings;
    let (ours, peer) = (Ours::connect().await?, Rmcp::connect().await?);
    let calls = settings.calls;
    let sequential =
        compare(settings, || one_by_one(ours.clone(), calls), || one_by_one(peer.clone(), calls)).await?;
    let concurrent = compare(
        settings,
        || all_at_once(ours.clone(), CALLERS, calls),
        || all_at_once(peer.clone(), CALLERS, calls),
    )
    .await?;
    let mut all = [rows(&SEQUENTIAL, &sequential), rows(&CONCURRENT, &concurrent)].concat();
    all.extend(through_the_kernel(settings).await?);
    Ok(all)
}

/// What the kernel's pipeline costs: a call through it, beside one through a hop that only forwards.
async fn through_the_kernel(settings: &Settings) -> Result<Vec<Row>, String> {
    let (bare, calls) = (forwarder::connect().await?, settings.calls);
    let (silent, audited) = (kernel::connect(Audit::Null).await?, kernel::connect(Audit::Sqlite).await?);
    let null =
        compare(settings, || one_by_one(silent.clone(), calls), || one_by_one(bare.clone(), calls)).await?;
    let sqlite =
        compare(settings, || one_by_one(audited.clone(), calls), || one_by_one(bare.clone(), calls)).await?;
    let crowd = compare(
        settings,
        || all_at_once(audited.clone(), CALLERS, calls),
        || all_at_once(bare.clone(), CALLERS, calls),
    )
    .await?;
    Ok(kernel_rows(&null, &sqlite, &crowd).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_answer_every_call_rightly_on_either_runtime() {
        for workers in [0, 2] {
            let settings = Settings { workers, rounds: 1, calls: 128, only: None };
            let rows = run(&settings).unwrap();
            assert_eq!(rows.len(), 11);
            assert!(rows.iter().all(|row| row.ours != 0.0 && row.peer > 0.0), "{rows:?}");
        }
    }
}
