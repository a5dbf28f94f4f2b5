//! Lines over time, with gaps where there is no value.

use super::{
    frame::{LEFT, MAX_DRAWN, Scale, Series, WIDTH, at, chart, plain},
    report::Bucket,
};
use crate::page::Context;
use maud::{Markup, html};

/// Returns a chart with a line for each series.
pub(super) fn lines(context: &Context, title: &str, buckets: &[Bucket], series: &[Series<'_>]) -> Markup {
    let drawn = &buckets[buckets.len().saturating_sub(MAX_DRAWN)..];
    let values = |bucket| series.iter().filter_map(move |series| (series.value)(bucket));
    let scale = Scale::to(drawn.iter().flat_map(values).fold(0.0, f64::max));
    let step = (WIDTH - LEFT) / drawn.len().max(1) as f64;
    let x = |n: usize| LEFT + step * (n as f64 + 0.5);
    let drawing = html! { @for series in series {
        path .line data-series=(series.mark) d=(path(drawn, series, scale, x)) {}
        @for (n, bucket) in drawn.iter().enumerate() { @if let Some(value) = (series.value)(bucket) {
            circle data-series=(series.mark) cx=(at(x(n))) cy=(at(scale.y(value))) r="2.5" { title { (bucket.from) " · " (series.name) " " (plain(value)) } }
        } }
    } };
    chart(context, title, buckets, series, scale, &drawing)
}

/// Returns the path of a line. It begins anew after each gap.
fn path(buckets: &[Bucket], series: &Series<'_>, scale: Scale, x: impl Fn(usize) -> f64) -> String {
    let mut path = String::new();
    let mut is_drawing = false;
    for (n, bucket) in buckets.iter().enumerate() {
        let value = (series.value)(bucket);
        if let Some(value) = value {
            let command = if is_drawing { 'L' } else { 'M' };
            path.push_str(&format!("{command}{} {}", at(x(n)), at(scale.y(value))));
        }
        is_drawing = value.is_some();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::trail::charts::report::Counts;

    #[test]
    fn a_line_has_a_gap_where_there_is_no_value() {
        let bucket = |p50_ms| Bucket { from: String::new(), counts: Counts { p50_ms, ..Counts::default() } };
        let buckets = [Some(10.0), Some(5.0), None, Some(0.0)].map(bucket);
        let series = Series { name: "p50", mark: "p50", value: |bucket| bucket.counts.p50_ms };
        let found = path(&buckets, &series, Scale::to(10.0), |n| n as f64);
        assert_eq!(found, "M0.0 10.0L1.0 85.0M3.0 160.0");
    }
}
