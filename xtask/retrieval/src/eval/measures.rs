//! The measures, query by query and over all.

use serde::Serialize;

/// Means over queries, each from 0 to 1, and the mean time of a query.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Measures {
    #[serde(rename = "recall@1")]
    pub(crate) recall_1: f64,
    #[serde(rename = "recall@3")]
    pub(crate) recall_3: f64,
    #[serde(rename = "recall@5")]
    pub(crate) recall_5: f64,
    #[serde(rename = "recall@10")]
    pub(crate) recall_10: f64,
    #[serde(rename = "ndcg@5")]
    pub(crate) ndcg_5: f64,
    #[serde(rename = "ndcg@10")]
    pub(crate) ndcg_10: f64,
    pub(crate) mrr: f64,
    pub(crate) ms_per_query: f64,
}

impl Measures {
    /// Measures one query: the ids of the result, the best first, and the wanted ids.
    pub(crate) fn of(found: &[&str], relevant: &[String], ms: f64) -> Self {
        let wanted = |id: &&str| relevant.iter().any(|relevant| relevant == id);
        let recall = |k: usize| {
            found.iter().take(k).filter(|id| wanted(id)).count() as f64 / relevant.len().max(1) as f64
        };
        Self {
            recall_1: recall(1),
            recall_3: recall(3),
            recall_5: recall(5),
            recall_10: recall(10),
            ndcg_5: ndcg(found, relevant, 5),
            ndcg_10: ndcg(found, relevant, 10),
            mrr: found.iter().position(wanted).map_or(0.0, |at| 1.0 / (at + 1) as f64),
            ms_per_query: ms,
        }
    }

    /// Returns the mean.
    pub(crate) fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        Self {
            recall_1: mean(|m| m.recall_1),
            recall_3: mean(|m| m.recall_3),
            recall_5: mean(|m| m.recall_5),
            recall_10: mean(|m| m.recall_10),
            ndcg_5: mean(|m| m.ndcg_5),
            ndcg_10: mean(|m| m.ndcg_10),
            mrr: mean(|m| m.mrr),
            ms_per_query: mean(|m| m.ms_per_query),
        }
    }
}

/// Returns the normalised discounted cumulative gain over the first `k`, where a tool is either wanted or not.
pub(crate) fn ndcg(found: &[&str], relevant: &[String], k: usize) -> f64 {
    let gain = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let wanted = |id: &str| relevant.iter().any(|relevant| relevant == id);
    let got: f64 =
        found.iter().take(k).enumerate().filter(|(_, id)| wanted(id)).map(|(at, _)| gain(at)).sum();
    let most: f64 = (0..k.min(relevant.len())).map(gain).sum();
    if most > 0.0 { got / most } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measures_are_those_of_the_field() {
        let relevant = ["a".to_owned(), "b".to_owned()];
        let one = Measures::of(&["x", "a", "y", "z", "b"], &relevant, 2.0);
        assert_eq!((one.recall_1, one.recall_3, one.recall_5, one.mrr), (0.0, 0.5, 1.0, 0.5));
        let expected = (1.0 / 3f64.log2() + 1.0 / 6f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((one.ndcg_10 - expected).abs() < 1e-12);
        let none = Measures::of(&[], &relevant, 0.0);
        assert_eq!(Measures::mean(&[one, none]).recall_5, 0.5);
        assert_eq!(ndcg(&["a", "b"], &relevant, 10), 1.0);
    }
}
