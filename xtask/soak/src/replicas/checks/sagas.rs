//! Each transaction has ended, and its report is true.

use crate::replicas::{
    effects::Effects,
    hosts::{OutcomeBook, Saga},
};
use serde_json::Value;

/// The counts of the transactions.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SagaCounts {
    pub(crate) committed: usize,
    pub(crate) rolled_back: usize,
    pub(crate) partially: usize,
    /// Transactions that no replica knows, because their beginning was lost.
    pub(crate) never_begun: usize,
    /// Descriptions of the transactions whose report is not true.
    pub(crate) problems: Vec<String>,
}

/// Compares each report with the effects.
pub(crate) fn sagas(book: &OutcomeBook, effects: &Effects) -> SagaCounts {
    let mut counts = SagaCounts::default();
    for (id, saga) in &book.sagas {
        let Some(report) = &saga.report else {
            counts.never_begun += 1;
            if saga.steps.values().any(|operation| effects.count("note", operation) > 0) {
                counts.problems.push(format!("{id} has effects, and no end is known"));
            }
            continue;
        };
        match report["status"].as_str() {
            Some("committed") => counts.committed += 1,
            Some("rolled_back") => counts.rolled_back += 1,
            Some("partially_rolled_back") => counts.partially += 1,
            _ => counts.problems.push(format!("{id} has not ended: {report}")),
        }
        counts
            .problems
            .extend(problem(saga, report, effects).map(|problem| format!("{id}: {problem}: {report}")));
    }
    counts
}

/// Returns a contradiction between a report and the effects.
fn problem(saga: &Saga, report: &Value, effects: &Effects) -> Option<String> {
    let status = report["status"].as_str().unwrap_or_default();
    for (step, operation) in &saga.steps {
        let found = (effects.count("note", operation), effects.count("undo", operation));
        let steps = report["steps"].as_array();
        let of_step = steps.into_iter().flatten().find(|reported| reported["step_id"] == **step);
        let state = of_step.map_or("absent", |step| step["status"].as_str().unwrap_or_default());
        let is_true = match (status, state) {
            // A step that was refused, or never arrived.
            (_, "absent" | "failed") => found == (0, 0),
            ("committed", "ok") => found == (1, 0),
            ("committed" | "partially_rolled_back", "unknown") => matches!(found, (0 | 1, 0)),
            ("rolled_back" | "partially_rolled_back", "compensated") => found == (1, 1),
            ("partially_rolled_back", "compensation_failed") => matches!(found, (1, 0 | 1)),
            ("partially_rolled_back", "not_compensated") => found == (1, 0),
            _ => false,
        };
        if !is_true {
            let (ran, undone) = found;
            return Some(format!("{step} is {state}, ran {ran} times and was undone {undone} times"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replicas::effects;
    use serde_json::json;

    #[test]
    fn a_report_that_is_not_true_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("effects");
        for (tool, operation) in [("note", "a"), ("note", "b"), ("undo", "b")] {
            effects::note(&file, tool, operation).unwrap();
        }
        let effects = Effects::read(&file).unwrap();
        let steps = [("1", "a"), ("2", "b"), ("3", "c")];
        let mut saga = Saga::default();
        saga.steps.extend(steps.map(|(step, operation)| (step.to_owned(), operation.to_owned())));
        let check = |status: &str, states: [&str; 3]| {
            let steps: Vec<_> = steps
                .iter()
                .zip(states)
                .map(|((step, _), state)| json!({"step_id": step, "status": state}))
                .collect();
            problem(&saga, &json!({"status": status, "steps": steps}), &effects)
        };
        assert_eq!(check("partially_rolled_back", ["unknown", "compensated", "failed"]), None);
        assert!(check("rolled_back", ["compensated", "compensated", "failed"]).is_some());
        assert!(check("committed", ["ok", "ok", "failed"]).is_some());
        assert!(check("committed", ["ok", "compensated", "failed"]).is_some());
    }
}
