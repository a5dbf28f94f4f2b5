//! The rows of the bench.

use crate::report::{Better, Row};

/// The longest time of a hundred servers, as a multiple of the time of one.
const BAR: f64 = 1.2;

/// Returns the rows. Ours are the times with many servers, the peer's those with one; the last row holds their ratio against the bar.
pub(super) fn rows(servers: usize, many: &[f64], one: &[f64]) -> Vec<Row> {
    let (many, one) = (median(many), median(one));
    let over = if one == 0.0 { 0.0 } else { many / one };
    vec![
        Row::new(
            format!("start to first search, {servers} lazy servers versus 1"),
            "ms",
            Better::Lower,
            many,
            one,
        ),
        Row::new(
            format!("  the time of {servers} over that of 1, versus the bar"),
            "times",
            Better::Lower,
            over,
            BAR,
        ),
    ]
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_the_medians_is_shown_with_the_bar() {
        let rows = rows(100, &[11.0, 90.0, 10.0], &[10.0, 10.0, 2.0]);
        assert_eq!((rows[0].ours, rows[0].peer), (11.0, 10.0));
        assert_eq!((rows[1].ours, rows[1].peer, rows[1].ratio), (1.1, 1.2, 1.09));
    }
}
