//! One comparison.

use serde::Serialize;
use std::borrow::Cow;

/// One comparison. A ratio above 1 always means that ours is better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) case: Cow<'static, str>,
    pub(crate) ours: f64,
    pub(crate) peer: f64,
    pub(crate) unit: &'static str,
    pub(crate) ratio: f64,
}

/// The direction in which values are better.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Better {
    Lower,
    Higher,
}

impl Row {
    /// Creates a row. A side that did not run has 0, and then the ratio is also 0.
    pub(crate) fn new(
        case: impl Into<Cow<'static, str>>,
        unit: &'static str,
        better: Better,
        ours: f64,
        peer: f64,
    ) -> Self {
        let (above, below) = match better {
            Better::Lower => (peer, ours),
            Better::Higher => (ours, peer),
        };
        let ratio = if below == 0.0 { 0.0 } else { above / below };
        Self { case: case.into(), ours: rounded(ours), peer: rounded(peer), unit, ratio: rounded(ratio) }
    }
}

/// Rounds to two digits after the point: more would be noise.
fn rounded(value: f64) -> f64 {
    if value >= 1000.0 { value.round() } else { (value * 100.0).round() / 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_above_1_means_that_ours_is_better_whatever_the_unit() {
        assert_eq!(Row::new("p50", "µs", Better::Lower, 4.0, 12.0).ratio, 3.0);
        assert_eq!(Row::new("throughput", "calls/s", Better::Higher, 300.0, 100.0).ratio, 3.0);
        assert_eq!(Row::new("throughput", "calls/s", Better::Higher, 100.0, 300.0).ratio, 0.33);
    }

    #[test]
    fn a_side_that_did_not_run_makes_no_ratio() {
        assert_eq!(Row::new("p50", "µs", Better::Lower, 0.0, 12.0).ratio, 0.0);
        assert_eq!(Row::new("throughput", "calls/s", Better::Higher, 5.0, 0.0).ratio, 0.0);
    }
}
