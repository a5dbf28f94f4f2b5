//! The results of one round, and the median over rounds.

use std::time::Duration;

/// The results of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Round {
    /// Half of the calls took at most this, in microseconds.
    pub(crate) p50: f64,
    /// 99 of 100 calls took at most this, in microseconds.
    pub(crate) p99: f64,
    /// Calls a second.
    pub(crate) throughput: f64,
}

impl Round {
    /// Sums up a round from the time of each call and the time of all calls together.
    #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^52")]
    pub(crate) fn new(mut calls: Vec<Duration>, whole: Duration) -> Self {
        calls.sort_unstable();
        Self {
            p50: percentile(&calls, 50),
            p99: percentile(&calls, 99),
            throughput: calls.len() as f64 / whole.as_secs_f64(),
        }
    }
}

/// Returns the smallest value that at least `percent` of the sorted ones do not exceed, in microseconds.
fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    let value = sorted.get(rank.saturating_sub(1));
    value.map_or(0.0, |value| value.as_secs_f64() * 1e6)
}

/// The rounds of one contestant.
#[derive(Debug, Default)]
pub(crate) struct Rounds(Vec<Round>);

impl Rounds {
    pub(crate) fn push(&mut self, round: Round) {
        self.0.push(round);
    }

    /// Returns the median over the rounds of one of their values; 0 without rounds.
    pub(crate) fn median(&self, value: impl Fn(&Round) -> f64) -> f64 {
        median(self.0.iter().map(value).collect())
    }
}

/// Returns the median of values; 0 without values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_summed_up_by_rank() {
        let calls: Vec<_> = (1..=200).rev().map(Duration::from_micros).collect();
        let round = Round::new(calls, Duration::from_millis(100));
        assert_eq!(round, Round { p50: 100.0, p99: 198.0, throughput: 2000.0 });
    }

    #[test]
    fn one_bad_round_does_not_move_the_median() {
        let mut rounds = Rounds::default();
        assert_eq!(rounds.median(|round| round.p50), 0.0);
        for p50 in [3.0, 900.0, 1.0] {
            rounds.push(Round { p50, p99: p50, throughput: 1.0 });
        }
        assert_eq!(rounds.median(|round| round.p50), 3.0);
        rounds.push(Round { p50: 5.0, p99: 0.0, throughput: 1.0 });
        assert_eq!(rounds.median(|round| round.p50), 4.0);
    }
}
