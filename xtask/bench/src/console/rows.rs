//! The rows of the bench.

use crate::{
    measure::median,
    report::{Better, Row},
};
use std::time::Duration;

/// The longest time of a page, in milliseconds.
const BAR: f64 = 100.0;

/// Returns the row of a page: the median of its times, versus the bar.
pub(super) fn page_row(page: &str, times: &[Duration], bytes: usize) -> Row {
    let case = format!("{page}, {} KB, versus the bar", bytes.div_ceil(1024));
    Row::new(case, "ms", Better::Lower, milliseconds(times), BAR)
}

/// Returns the rows of calls: with consoles versus without them.
pub(super) fn call_rows(with: &[Duration], without: &[Duration]) -> Vec<Row> {
    let row =
        |case: &'static str, with: f64, without: f64| Row::new(case, "ms", Better::Lower, with, without);
    vec![
        row(
            "a call at 50 a second, p50, five consoles versus none",
            milliseconds(with),
            milliseconds(without),
        ),
        row("  p99", percentile(with), percentile(without)),
    ]
}

/// Returns the row of the gateway's memory in KiB: with consoles versus without them.
#[expect(clippy::cast_precision_loss, reason = "sizes of memory are far below 2^52")]
pub(super) fn memory_row(with: u64, without: u64) -> Row {
    let [with, without] = [with, without].map(|kib| kib as f64 / 1024.0);
    Row::new("memory of the gateway, five consoles versus none", "MiB", Better::Lower, with, without)
}

fn milliseconds(times: &[Duration]) -> f64 {
    median(times.iter().map(|time| time.as_secs_f64() * 1e3).collect())
}

fn percentile(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = (times.len() * 99).div_ceil(100).saturating_sub(1);
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_within_the_bar_has_a_ratio_above_1() {
        let times = [20, 50, 900].map(Duration::from_millis);
        let row = page_row("/now", &times, 2000);
        assert_eq!((&*row.case, row.ours, row.ratio), ("/now, 2 KB, versus the bar", 50.0, 2.0));
        let rows = call_rows(&times, &[Duration::from_millis(25); 3]);
        assert_eq!((rows[0].ratio, rows[1].ours), (0.5, 900.0));
    }
}
