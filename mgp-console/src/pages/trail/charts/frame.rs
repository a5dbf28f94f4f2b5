//! The frame of a chart: its scale, its legend, and the table behind it.

use super::report::Bucket;
use crate::page::{Context, time};
use maud::{Markup, html};

/// The size of a drawing, in its own units.
pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 160.0;
/// The place for the scale.
pub(super) const LEFT: f64 = 56.0;
const TOP: f64 = 10.0;
/// The most spans that are drawn, the latest.
pub(super) const MAX_DRAWN: usize = 200;

/// A series of a chart: its name, its mark in the style sheet, and its value in a span.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) mark: &'static str,
    pub(super) value: fn(&Bucket) -> Option<f64>,
}

/// The scale from values to the height of a drawing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    most: f64,
}

impl Scale {
    /// Creates a scale whose end is a round number.
    pub(super) fn to(most: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let unit = 10_f64.powf(most.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0];
        let rounded = steps.into_iter().map(|step| step * unit).find(|end| *end >= most * 0.999_999);
        Self { most: rounded.unwrap_or(most) }
    }

    pub(super) fn y(self, value: f64) -> f64 {
        HEIGHT - self.height(value)
    }

    pub(super) fn height(self, value: f64) -> f64 {
        (value / self.most).clamp(0.0, 1.0) * (HEIGHT - TOP)
    }
}

/// Returns a chart with its legend and its table.
pub(super) fn chart(
    context: &Context,
    title: &str,
    buckets: &[Bucket],
    series: &[Series<'_>],
    scale: Scale,
    drawing: &Markup,
) -> Markup {
    html! {
        figure .chart {
            figcaption { strong { (title) }
                @for series in series { " " span .key data-series=(series.mark) { (series.name) } } }
            svg viewBox=(format!("0 0 {WIDTH} {}", HEIGHT + 8.0)) role="img" aria-label=(title) {
                @for part in 0..=2 {
                    @let value = scale.most * f64::from(part) / 2.0;
                    line .grid x1=(LEFT) x2=(WIDTH) y1=(at(scale.y(value))) y2=(at(scale.y(value))) {}
                    text .axis x=(LEFT - 6.0) y=(at(scale.y(value) + 4.0)) text-anchor="end" { (plain(value)) }
                }
                (drawing)
            }
            (axis(buckets))
            details { summary { (context.texts.trail.table) " " (title) } (table(context, title, buckets, series)) }
        }
    }
}

/// Returns the times of the first, the middle and the last span that is drawn.
fn axis(buckets: &[Bucket]) -> Markup {
    let drawn = &buckets[buckets.len().saturating_sub(MAX_DRAWN)..];
    html! {
        @if let ([first, ..], [.., last]) = (drawn, drawn) {
            div .times { (time(&first.from))
                @if drawn.len() > 2 { (time(&drawn[drawn.len() / 2].from)) }
                @if drawn.len() > 1 { (time(&last.from)) }
            }
        }
    }
}

fn table(context: &Context, title: &str, buckets: &[Bucket], series: &[Series<'_>]) -> Markup {
    html! {
        div .scroll tabindex="0" role="region" aria-label=(title) { table {
            thead { tr { th scope="col" { (context.texts.trail.time) } @for series in series { th scope="col" .number { (series.name) } } } }
            tbody { @for bucket in buckets.iter().rev().take(MAX_DRAWN) { tr {
                th scope="row" { (time(&bucket.from)) }
                @for series in series { td .number { (value((series.value)(bucket))) } }
            } } }
        } }
    }
}

fn value(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), plain)
}

/// Returns a number without digits that say nothing.
pub(super) fn plain(value: f64) -> String {
    match value {
        value if value >= 1_000_000.0 => format!("{:.1} M", value / 1_000_000.0),
        value if value >= 10_000.0 => format!("{:.0} k", value / 1000.0),
        value if value.fract() == 0.0 || value >= 100.0 => format!("{value:.0}"),
        value => format!("{value:.1}"),
    }
}

/// Returns a coordinate with as many digits as a screen shows.
pub(super) fn at(units: f64) -> String {
    format!("{units:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_round_number() {
        for (most, expected) in [
            (7.0, 10.0),
            (10.0, 10.0),
            (11.0, 20.0),
            (430.0, 500.0),
            (0.3, 0.5),
            (0.0, 1.0),
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
        ] {
            let scale = Scale::to(most);
            assert!((scale.most - expected).abs() < 1e-9, "{most}: {scale:?}");
            assert!(scale.y(most) >= TOP - 0.001 || !most.is_finite());
        }
    }

    #[test]
    fn numbers_are_short() {
        for (number, expected) in [
            (0.0, "0"),
            (0.25, "0.2"),
            (9.0, "9"),
            (123.4, "123"),
            (12_345.0, "12 k"),
            (2_500_000.0, "2.5 M"),
        ] {
            assert_eq!(plain(number), expected);
        }
    }
}
