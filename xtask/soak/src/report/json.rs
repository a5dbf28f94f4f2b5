//! The counts for programs.

use super::{LeftoverCounts, Outcome, memory::allowed_growth};
use crate::{arguments::Arguments, comparison::Ratio};
use serde_json::{Value, json};

/// Returns everything that the table shows.
pub(crate) fn json(arguments: &Arguments, outcome: &Outcome) -> Value {
    let rows = outcome.book.rows.iter().map(|(name, row)| {
        let counts =
            json!({"sent": row.sent, "once": row.once, "twice": row.twice, "lost": row.lost, "cut": row.cut});
        ((*name).to_owned(), counts)
    });
    let left = |left: LeftoverCounts| {
        left.named().iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<Value>()
    };
    let (audited, memory) = (&outcome.audited, &outcome.memory);
    let (middle, last) = memory.thirds();
    let ratio = |ratio: Ratio| {
        let Ratio { what, measure, alone, beside, ratio, processes, noise, bound } = ratio;
        json!({"what": what, "measure": measure, "alone": alone, "beside": beside, "ratio": ratio, "processes": processes, "noise": noise, "bound": bound})
    };
    let comparison = outcome.comparison.as_ref().map(|comparison| {
        let ratios: Vec<Value> = comparison.ratios().into_iter().map(ratio).collect();
        json!({"pairs": comparison.pairs.len(), "ratios": ratios, "rss_kib": comparison.memory})
    });
    json!({
        "seconds": arguments.time.as_secs(),
        "sessions": arguments.sessions,
        "children": arguments.children,
        "seed": arguments.seed,
        "requests": rows.collect::<Value>(),
        "causes": outcome.book.causes,
        "faults": outcome.book.faults,
        "audit": {"answered": audited.answered, "executed": audited.executed, "others": audited.others, "wrong": audited.wrong, "retries": audited.retries},
        "left_at_rest": left(outcome.at_rest),
        "left": left(outcome.left),
        "rss_kib": {
            "start": memory.start, "middle_third": middle, "last_third": last, "growth": memory.growth(),
            "allowed": allowed_growth(outcome.book.sum().sent), "peak": memory.peak, "end": memory.end, "samples": memory.samples,
        },
        "beside_bad_servers": comparison,
        "problems": outcome.problems(),
    })
}
