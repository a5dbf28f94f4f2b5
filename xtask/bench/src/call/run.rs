//! Runs the contestants against each other.

use super::{
    events::EventWriter,
    features::{Feature, FeatureClient},
    forwarder,
    kernel::{self, Audit, Keys},
    ours::Ours,
    peer::Rmcp,
    rows::{CONCURRENT, SEQUENTIAL, beside_row, event_rows, journal_rows, kernel_rows, pipeline_rows, rows},
    spans,
};
use crate::{
    measure::{Settings, all_at_once, compare, one_by_one, run_within},
    report::Row,
};
use mgp_kernel::Era;
use mgp_security::audit::JournalMode;

/// The number of callers that share a connection in the second load; the names of its rows contain the number too.
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
    all.extend(observed(settings).await?);
    all.extend(featured(settings).await?);
    Ok(all)
}

/// Measures the cost of metrics, spans, limits, quotas and a limit on the length of results, and that of unused features: a call
/// through a kernel with them, compared with one through a kernel without them.
async fn observed(settings: &Settings) -> Result<[Row; 6], String> {
    let silent = kernel::connect(Audit::Null, Era::Initialize).await?;
    let counting = kernel::connect_counting(Era::Initialize).await?;
    let limited = kernel::connect_limited(Era::Initialize).await?;
    let with_quota = kernel::connect_with_quota(Era::Initialize).await?;
    let keeping_long = kernel::connect_keeping_long(Era::Initialize).await?;
    let unused = kernel::connect_unused(Era::Initialize).await?;
    let one = |ours: &Ours, takes_spans: bool| {
        let ours = ours.clone();
        async move {
            spans::take(takes_spans);
            let round = one_by_one(ours, settings.calls).await;
            spans::take(false);
            round
        }
    };
    let metrics = compare(settings, || one(&counting, false), || one(&silent, false)).await?;
    let traced = compare(settings, || one(&silent, true), || one(&silent, false)).await?;
    let limits = compare(settings, || one(&limited, false), || one(&silent, false)).await?;
    let quota = compare(settings, || one(&with_quota, false), || one(&silent, false)).await?;
    let long = compare(settings, || one(&keeping_long, false), || one(&silent, false)).await?;
    let unused = compare(settings, || one(&unused, false), || one(&silent, false)).await?;
    Ok([
        beside_row("metrics", &metrics),
        beside_row("spans", &traced),
        beside_row("limits", &limits),
        beside_row("a quota, in SQLite", &quota),
        beside_row("a limit on results' tokens", &long),
        beside_row("features that no call uses", &unused),
    ])
}

/// The most calls of a round whose results are kept: each is a file until its kernel ends.
const KEPT_CALLS: usize = 200;

/// Measures the cost of features that a call may request: a call with the request, compared with one without. The cost of these layers
/// for a call without requests is part of every row of the kernel.
async fn featured(settings: &Settings) -> Result<[Row; 7], String> {
    let plain = kernel::connect_keyed(Keys::Memory, Era::Initialize).await?;
    let stored = kernel::connect_keyed(Keys::Sqlite, Era::Initialize).await?;
    let beside = |ours: &Ours, feature: Feature, what: &'static str| {
        let (plain, asking) = (ours.clone(), FeatureClient { ours: ours.clone(), feature });
        let calls =
            if feature == Feature::KeptResult { settings.calls.min(KEPT_CALLS) } else { settings.calls };
        async move {
            let asks = || one_by_one(asking.clone(), calls);
            let contest = compare(settings, asks, || one_by_one(plain.clone(), calls)).await?;
            Ok::<_, String>(beside_row(what, &contest))
        }
    };
    Ok([
        beside(&plain, Feature::CheckedArguments, "a check of the arguments").await?,
        beside(&plain, Feature::Attestation, "an attestation").await?,
        beside(&plain, Feature::DryRun, "a dry run instead of the call").await?,
        beside(&plain, Feature::KeptResult, "a kept result").await?,
        beside(&plain, Feature::Transaction, "a transaction for each call, in memory").await?,
        beside(&plain, Feature::Key, "a key for each call, in memory").await?,
        beside(&stored, Feature::Key, "a key for each call, in SQLite").await?,
    ])
}

/// Measures the cost of the kernel's pipeline: a call through the kernel, compared with one through a hop that only forwards. The hop
/// has one era on both sides, the one with `initialize`; the kernel may use another with the server.
async fn through_the_kernel(settings: &Settings) -> Result<Vec<Row>, String> {
    let bare = forwarder::connect(Era::Initialize).await?;
    let mut all = Vec::new();
    for (era, what) in [(Era::Initialize, "kernel"), (Era::Stateless, "kernel to a 2026-07-28 server")] {
        let (silent, audited) =
            (kernel::connect(Audit::Null, era).await?, kernel::connect(Audit::Sqlite, era).await?);
        let one = |ours: &Ours| {
            let ours = ours.clone();
            compare(
                settings,
                move || one_by_one(ours.clone(), settings.calls),
                || one_by_one(bare.clone(), settings.calls),
            )
        };
        let (null, sqlite) = (one(&silent).await?, one(&audited).await?);
        let crowd = compare(
            settings,
            || all_at_once(audited.clone(), CALLERS, settings.calls),
            || all_at_once(bare.clone(), CALLERS, settings.calls),
        )
        .await?;
        all.extend(kernel_rows(what, &null, &sqlite, &crowd));
    }
    all.extend(between_stateless_peers(settings).await?);
    all.extend(journalled(settings).await?);
    all.extend(stored(settings).await?);
    Ok(all)
}

/// Measures the cost of the kernel's pipeline between a client and a server of 2026-07-28, compared with a hop between them that only
/// forwards. Every request on all four connections has the same members of `_meta`.
async fn between_stateless_peers(settings: &Settings) -> Result<[Row; 3], String> {
    let bare = forwarder::connect(Era::Stateless).await?;
    let kernel = kernel::connect_between(Era::Stateless).await?;
    let calls = settings.calls;
    let null =
        compare(settings, || one_by_one(kernel.clone(), calls), || one_by_one(bare.clone(), calls)).await?;
    Ok(pipeline_rows("kernel between 2026-07-28 peers", "a bare hop between them", &null))
}

/// Measures a call whose event goes to a journal, compared with one whose event goes to SQLite, and with one that has no event.
async fn journalled(settings: &Settings) -> Result<[Row; 3], String> {
    let journal = kernel::connect(Audit::Journal, Era::Initialize).await?;
    let sqlite = kernel::connect(Audit::Sqlite, Era::Initialize).await?;
    let calls = settings.calls;
    let one = compare(settings, || one_by_one(journal.clone(), calls), || one_by_one(sqlite.clone(), calls))
        .await?;
    let crowd = compare(
        settings,
        || all_at_once(journal.clone(), CALLERS, calls),
        || all_at_once(sqlite.clone(), CALLERS, calls),
    )
    .await?;
    let silent = kernel::connect(Audit::Null, Era::Initialize).await?;
    let silent = compare(
        settings,
        || all_at_once(journal.clone(), CALLERS, calls),
        || all_at_once(silent.clone(), CALLERS, calls),
    )
    .await?;
    Ok(journal_rows(&one, &crowd, &silent))
}

/// The number of events of a round for each call of a round: an event costs a fraction of a call.
const EVENTS: usize = 2;

/// Measures events that are stored without calls, in a journal and in SQLite.
async fn stored(settings: &Settings) -> Result<[Row; 4], String> {
    let events = settings.calls * EVENTS;
    // Each contest has new files, so that the disk holds those of one.
    let files =
        || Ok::<_, String>((EventWriter::open(JournalMode::Local)?, EventWriter::open(JournalMode::Store)?));
    let with = async |writers| {
        let (journal, sqlite) = files()?;
        let ours = || journal.clone().stored(writers, events);
        compare(settings, ours, || sqlite.clone().stored(writers, events)).await
    };
    let (one, crowd) = (with(1).await?, with(CALLERS).await?);
    let (journal, sqlite) = files()?;
    let ours = || journal.clone().moved(CALLERS, events);
    let moved = compare(settings, ours, || sqlite.clone().moved(CALLERS, events)).await?;
    Ok(event_rows(&one, &crowd, &moved))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both_sides_answer_every_call(workers: usize) {
        let settings = Settings { workers, rounds: 1, calls: 128, ..Settings::default() };
        let rows = run(&settings).unwrap();
        assert_eq!(rows.len(), 41);
        assert!(rows.iter().all(|row| row.ours != 0.0 && row.peer > 0.0), "{rows:?}");
    }

    #[test]
    fn both_sides_answer_every_call_rightly_on_one_thread() {
        both_sides_answer_every_call(0);
    }

    #[test]
    fn both_sides_answer_every_call_rightly_on_two_workers() {
        both_sides_answer_every_call(2);
    }
}
