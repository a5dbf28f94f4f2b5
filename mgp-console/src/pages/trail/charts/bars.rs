//! Bars over time, whose parts stand on each other.

use super::{
    frame::{LEFT, MAX_DRAWN, Scale, Series, WIDTH, at, chart, plain},
    report::Bucket,
};
use crate::page::Context;
use maud::{Markup, html};

/// Returns a chart with a bar for each span of time.
pub(super) fn bars(context: &Context, title: &str, buckets: &[Bucket], series: &[Series<'_>]) -> Markup {
    let drawn = &buckets[buckets.len().saturating_sub(MAX_DRAWN)..];
    let sum = |bucket: &Bucket| series.iter().filter_map(|series| (series.value)(bucket)).sum::<f64>();
    let scale = Scale::to(drawn.iter().map(sum).fold(0.0, f64::max));
    let step = (WIDTH - LEFT) / drawn.len().max(1) as f64;
    let width = (step * 0.8).min(40.0);
    let drawing = html! {
        @for (n, bucket) in drawn.iter().enumerate() {
            @let x = LEFT + step * n as f64 + (step - width) / 2.0;
            (stack(bucket, series, scale, x, width))
        }
    };
    chart(context, title, buckets, series, scale, &drawing)
}

fn stack(bucket: &Bucket, series: &[Series<'_>], scale: Scale, x: f64, width: f64) -> Markup {
    let mut below = 0.0;
    html! {
        @for series in series {
            @let value = (series.value)(bucket).unwrap_or(0.0);
            @if value > 0.0 {
                @let y = scale.y(below + value);
                rect data-series=(series.mark) x=(at(x)) y=(at(y)) width=(at(width)) height=(at(scale.y(below) - y)) {
                    title { (bucket.from) " · " (series.name) " " (plain(value)) }
                }
                ({ below += value; html! {} })
            }
        }
    }
}
