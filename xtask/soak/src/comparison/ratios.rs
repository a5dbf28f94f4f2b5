//! The ratios of a comparison.

use super::{Latencies, RequestKind};

/// The fewest pairs of windows that a comparison needs.
pub(super) const MIN_PAIRS: usize = 3;
/// The latency of a window without an answer, in microseconds: longer than any time limit.
const NO_ANSWER: u64 = 180_000_000;

/// The latencies of pairs of windows, first without the bad servers and then with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) pairs: Vec<[Latencies; 2]>,
    /// The latencies of a window of each pair without the bad servers, in which another thread starts as many processes. Their share of
    /// the slowdown is the machine's, not the kernel's.
    pub(crate) with_processes: Vec<Latencies>,
    /// Resident memory at the end of each window without the bad servers, in KiB.
    pub(crate) memory: Vec<u64>,
}

/// A way to sum up a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Median,
    P99,
    Count,
}

/// One measure of one kind of request, without and with bad servers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) what: &'static str,
    pub(crate) measure: &'static str,
    /// The median over the windows: of latencies, in microseconds, or of the number of answers.
    pub(crate) alone: f64,
    pub(crate) beside: f64,
    /// The slowdown of a window with bad servers, by the window before it: the median over the pairs.
    pub(crate) ratio: f64,
    /// The slowdown of a window in which another thread starts processes: the median over the pairs.
    pub(crate) processes: f64,
    /// The difference between two consecutive windows without bad servers: the median of the greater by the smaller.
    pub(crate) noise: f64,
    /// The largest allowed ratio.
    pub(crate) bound: f64,
}

impl Measure {
    const ALL: [Self; 3] = [Self::Median, Self::P99, Self::Count];

    const fn name(self) -> &'static str {
        match self {
            Self::Median => "median, µs",
            Self::P99 => "p99, µs",
            Self::Count => "answers",
        }
    }

    /// Returns the allowed ratio on a machine without noise. The cores are shared with the bad servers, so the slowest answers
    /// wait for the scheduler; a wait for a bad server would make them thousands of times as slow.
    const fn factor(self) -> f64 {
        match self {
            Self::Median | Self::Count => 2.0,
            Self::P99 => 10.0,
        }
    }

    /// Returns the value of a window.
    fn of(self, latencies: &Latencies, kind: RequestKind) -> f64 {
        let value = match self {
            Self::Median => latencies.percentile(kind, 50).unwrap_or(NO_ANSWER),
            Self::P99 => latencies.percentile(kind, 99).unwrap_or(NO_ANSWER),
            Self::Count => latencies.count(kind) as u64,
        };
        // One is added to avoid a division by zero.
        (value + 1) as f64
    }

    /// Returns how many times as slow the second of two values is.
    fn slowdown(self, [first, second]: [f64; 2]) -> f64 {
        if self == Self::Count { first / second } else { second / first }
    }
}

impl Comparison {
    /// Returns all ratios.
    pub(crate) fn ratios(&self) -> Vec<Ratio> {
        let of_kind = |kind| Measure::ALL.map(|measure| self.ratio(kind, measure));
        RequestKind::ALL.into_iter().flat_map(of_kind).collect()
    }

    /// Returns the ratios of the latencies of lists and calls in words.
    pub(crate) fn summary(&self) -> String {
        let ratio = |kind, measure| self.ratio(kind, measure).ratio;
        format!(
            "a list of {:.2} times the length takes {:.2} times as long (p99 {:.2}), a call {:.2} (p99 {:.2})",
            self.longer_lists(),
            ratio(RequestKind::List, Measure::Median),
            ratio(RequestKind::List, Measure::P99),
            ratio(RequestKind::Call, Measure::Median),
            ratio(RequestKind::Call, Measure::P99)
        )
    }

    /// Returns how many times as long the lists are, because they also contain the tools of bad servers: the median over the pairs.
    pub(crate) fn longer_lists(&self) -> f64 {
        let length = |latencies: &Latencies| latencies.list_length().map(|bytes| bytes as f64);
        median(
            self.pairs.iter().filter_map(|[alone, beside]| Some(length(beside)? / length(alone)?)).collect(),
        )
    }

    fn ratio(&self, kind: RequestKind, measure: Measure) -> Ratio {
        let values: Vec<[f64; 2]> =
            self.pairs.iter().map(|pair| pair.each_ref().map(|window| measure.of(window, kind))).collect();
        let alone: Vec<f64> = values.iter().map(|[alone, _]| *alone).collect();
        let in_a_row = alone.windows(2).map(|pair| (pair[0] / pair[1]).max(pair[1] / pair[0]));
        let noise = median(in_a_row.collect());
        let with_processes = self.with_processes.iter().map(|window| measure.of(window, kind));
        let processes =
            alone.iter().zip(with_processes).map(|(alone, with)| measure.slowdown([*alone, with]));
        Ratio {
            what: kind.name(),
            measure: measure.name(),
            alone: median(alone.clone()),
            beside: median(values.iter().map(|[_, beside]| *beside).collect()),
            ratio: median(values.iter().map(|pair| measure.slowdown(*pair)).collect()),
            processes: median(processes.collect()),
            noise,
            bound: measure.factor() * noise,
        }
    }

    /// Returns the problems.
    pub(crate) fn problems(&self) -> Vec<String> {
        if self.pairs.len() < MIN_PAIRS {
            return vec![format!(
                "{} pairs of windows with and without bad servers: expected at least {MIN_PAIRS} (run longer)",
                self.pairs.len()
            )];
        }
        let slow = |ratio: Ratio| {
            let Ratio { what, measure, ratio, bound, .. } = ratio;
            // A ratio that is not a number is a problem too.
            let is_quick = ratio <= bound;
            (!is_quick).then(|| {
                format!("{what} ({measure}): {ratio:.2} times as slow with bad servers, expected at most {bound:.2}")
            })
        };
        self.ratios().into_iter().filter_map(slow).collect()
    }
}

/// Returns the median; 1 for an empty list.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Returns a window in which each kind of request took this long, in milliseconds, as often as said.
    fn window(ms: u64, times: usize) -> Latencies {
        let mut latencies = Latencies::default();
        for kind in RequestKind::ALL {
            for _ in 0..times {
                latencies.add(kind, Duration::from_millis(ms));
            }
        }
        latencies
    }

    fn compare(pairs: &[[(u64, usize); 2]]) -> Vec<String> {
        let pairs = pairs.iter().map(|pair| pair.map(|(ms, times)| window(ms, times))).collect();
        Comparison { pairs, ..Comparison::default() }.problems()
    }

    #[test]
    fn only_a_slowdown_caused_by_bad_servers_is_wrong() {
        assert!(compare(&[[(4, 90), (4, 90)]; 2])[0].starts_with("2 pairs of windows"));
        assert_eq!(compare(&[[(4, 90), (6, 60)]; 3]), Vec::<String>::new());
        // A median three times as long, for each kind.
        let slow = compare(&[[(4, 90), (12, 60)]; 3]);
        assert_eq!(slow.len(), RequestKind::ALL.len(), "{slow:?}");
        assert!(slow[0].contains("median") && slow[0].contains("expected at most 2.00"), "{slow:?}");
        // No answer at all, in which case there is no latency either.
        assert_eq!(compare(&[[(4, 90), (4, 0)]; 3]).len(), 9);
    }

    #[test]
    fn a_busy_machine_breaks_nothing() {
        let (quiet, busy) = ((4, 90), (40, 9));
        assert_eq!(
            compare(&[[quiet, busy], [busy, quiet], [quiet, busy], [busy, quiet]]),
            Vec::<String>::new()
        );
        // One pair of many.
        assert_eq!(compare(&[[quiet, quiet], [quiet, busy], [quiet, quiet]]), Vec::<String>::new());
    }
}
