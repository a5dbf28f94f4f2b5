//! Learns the probability that the first result of a query serves: from queries whose tool is in the set, and from queries to the tools
//! of another set.

use super::climb::climb;
use crate::set::{IndexedSet, QueryLine};
use mgp_toolindex::index::{Evidence, Query, Search, SearchMode};
use mgp_transport::seam::FullVisibility;
use std::fmt::Write as _;

/// The first result of a query, and whether it serves.
pub(super) struct Case {
    evidence: Evidence,
    serves: bool,
    /// True if the query was put to tools of another set.
    foreign: bool,
}

impl Case {
    /// Searches for a query. Returns `None` if nothing was found.
    pub(super) fn read(
        set: &IndexedSet,
        line: &QueryLine,
        mode: SearchMode,
        foreign: bool,
    ) -> Result<Option<Self>, String> {
        let query = Query::new(&line.query).map_err(|error| format!("query {:?}: {error}", line.id))?;
        let search = Search { mode, limit: 1, ..Search::new(query) };
        let result = set.index.search(&search, &FullVisibility).map_err(|error| error.to_string())?;
        Ok(result.hits.first().map(|hit| {
            let serves = !foreign && line.relevant.iter().any(|id| id == set.id(&hit.tool));
            Self { evidence: hit.evidence, serves, foreign }
        }))
    }
}

/// Fits the weights of the constant, of the coverage, and of the nearness.
pub(super) fn fit(cases: &[Case]) -> [f32; 3] {
    let value = |weights: &[f32; 3]| {
        let each = cases.iter().map(|case| {
            let likely = likely(weights, &case.evidence).clamp(1e-6, 1.0 - 1e-6);
            // Weighted as if both kinds were equally frequent.
            if case.serves {
                likely.ln() / share(cases, true)
            } else {
                (1.0 - likely).ln() / share(cases, false)
            }
        });
        each.sum::<f64>() / cases.len().max(1) as f64
    };
    climb([0.0; 3], value).map(|weight| (weight * 100.0).round() / 100.0)
}

fn share(cases: &[Case], serves: bool) -> f64 {
    cases.iter().filter(|case| case.serves == serves).count().max(1) as f64 / cases.len() as f64
}

fn likely(weights: &[f32; 3], evidence: &Evidence) -> f64 {
    let sum = weights[0] + weights[1] * evidence.coverage + weights[2] * evidence.nearness.unwrap_or(0.0);
    1.0 / (1.0 + f64::from(-sum).exp())
}

/// Describes, for some floors, the share of right first results that pass, and the share of passing results of queries without a fitting
/// tool.
pub(super) fn floors(cases: &[Case], weights: &[f32; 3]) -> String {
    let pass = |floor: f64, wanted: fn(&Case) -> bool| {
        let all: Vec<_> = cases.iter().filter(|case| wanted(case)).collect();
        let passed = all.iter().filter(|case| likely(weights, &case.evidence) >= floor).count();
        passed as f64 / all.len().max(1) as f64
    };
    let mut text = String::from("  floor  right answers that pass  of another set's queries, answered\n");
    for floor in [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5] {
        let _ = writeln!(
            text,
            "  {floor:<6} {:<24.3} {:.3}",
            pass(floor, |case| case.serves),
            pass(floor, |case| case.foreign)
        );
    }
    text
}
