//! The events of a trace on a line of time.

use super::{event::EventParts, event_name::plain_name};
use crate::page::Context;
use jiff::Timestamp;
use maud::{Markup, html};
use mgp_types::{audit::AuditEvent, printable::on_one_line};

/// The most events that are drawn.
pub(super) const MAX_DRAWN: usize = 60;
/// The size of the drawing, in its own units.
const WIDTH: f64 = 900.0;
const LABELS: f64 = 230.0;
const ROW: f64 = 24.0;
const AXIS: f64 = 26.0;
/// The least width of a bar.
const LEAST: f64 = 3.0;
/// The longest label, in characters.
const MAX_LABEL: usize = 26;

/// The span of an event, in milliseconds from the start of the trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) end: f64,
}

/// Returns the span of each event. A call is recorded at its end, with its duration; a retry after the time that it waited.
pub(super) fn spans(events: &[AuditEvent]) -> Vec<Option<Span>> {
    let at = |event: &AuditEvent| {
        Some(event.timestamp.parse::<Timestamp>().ok()?.as_microsecond() as f64 / 1000.0)
    };
    let span = |event: &AuditEvent| {
        let end = at(event)?;
        let took = event.number("duration_ms").or_else(|| event.number("waited_ms")).unwrap_or(0);
        Some(Span { start: end - took as f64, end })
    };
    let absolute: Vec<_> = events.iter().map(span).collect();
    let first = absolute.iter().flatten().map(|span| span.start).fold(f64::INFINITY, f64::min);
    absolute
        .into_iter()
        .map(|span| span.map(|Span { start, end }| Span { start: start - first, end: end - first }))
        .collect()
}

/// Returns the drawing: a bar for each event that took time, and a point for each other one. `label` describes it.
pub(super) fn timeline(context: &Context, events: &[AuditEvent], label: &str) -> Markup {
    let spans = spans(events);
    let end = spans.iter().flatten().map(|span| span.end).fold(1.0, f64::max);
    let drawn = events.len().min(MAX_DRAWN);
    let height = AXIS + ROW * drawn as f64;
    let x = |ms: f64| LABELS + ms / end * (WIDTH - LABELS - 12.0);
    html! {
        div .scroll tabindex="0" role="region" aria-label=(label) {
            svg .timeline viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(label) {
                @for part in 0..=4 {
                    @let ms = end * f64::from(part) / 4.0;
                    line .grid x1=(at(x(ms))) x2=(at(x(ms))) y1=(AXIS - 4.0) y2=(height) {}
                    text .axis x=(at(x(ms))) y="14" text-anchor=(if part == 4 { "end" } else if part == 0 { "start" } else { "middle" }) { (duration(ms)) }
                }
                @for (n, (event, span)) in events.iter().zip(&spans).take(MAX_DRAWN).enumerate() {
                    @let y = AXIS + ROW * n as f64;
                    text .label x="4" y=(y + 16.0) { (n + 1) " " (short(plain_name(context, event))) }
                    @if let Some(span) = span { (mark(context, event, *span, y, &x)) }
                }
            }
        }
    }
}

fn mark(context: &Context, event: &AuditEvent, span: Span, y: f64, x: &impl Fn(f64) -> f64) -> Markup {
    let (start, end) = (x(span.start), x(span.end));
    let name = plain_name(context, event);
    let title = format!("{name} {}", duration(span.end - span.start));
    html! {
        @if span.end > span.start {
            rect .bar data-result=(event.result.as_str()) x=(at(start)) y=(y + 5.0) width=(at((end - start).max(LEAST))) height="14" rx="3" {
                title { (on_one_line(&title)) }
            }
        } @else {
            circle .bar data-result=(event.result.as_str()) cx=(at(end)) cy=(y + 12.0) r="5" { title { (on_one_line(name)) } }
        }
    }
}

fn short(text: &str) -> String {
    let label = on_one_line(&text.chars().take(MAX_LABEL).collect::<String>());
    if text.chars().nth(MAX_LABEL).is_some() { label + "…" } else { label }
}

/// Returns a coordinate with as many digits as a screen shows.
fn at(units: f64) -> String {
    format!("{units:.1}")
}

/// Returns a duration for people.
pub(super) fn duration(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms if ms < 120_000.0 => format!("{:.2} s", ms / 1000.0),
        ms => format!("{:.1} min", ms / 60_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    fn event(time: &str, details: &str) -> AuditEvent {
        let json = format!(
            r#"{{"timestamp":"2026-11-20T10:00:{time}Z","event_type":"TOOL_EXECUTED","actor":{{"type":"agent","id":"a"}},
            "result":"SUCCESS","details":{{{details}}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_call_begins_before_its_event_and_a_retry_waited() {
        let events = [
            event("01.500", r#""retry":1,"waited_ms":250"#),
            event("01.600", ""),
            event("02.000", r#""duration_ms":1000"#),
            event("xx", ""),
        ];
        let expected = [
            Some(Span { start: 250.0, end: 500.0 }),
            Some(Span { start: 600.0, end: 600.0 }),
            Some(Span { start: 0.0, end: 1000.0 }),
            None,
        ];
        assert_eq!(spans(&events), expected);
    }

    #[test]
    fn the_drawing_has_bars_points_and_bounds() {
        let mut events = vec![event("02.000", r#""duration_ms":1000"#), event("02.000", "")];
        events[0].event_type = "<script>\u{202e}".into();
        let drawn = timeline(&context(), &events, "A trace").into_string();
        assert!(drawn.contains("<rect") && drawn.contains("<circle") && drawn.contains("1.00 s"), "{drawn}");
        assert!(
            !drawn.contains("<script") && !drawn.contains('\u{202e}') && !drawn.contains("style="),
            "{drawn}"
        );
        let many = vec![event("02.000", ""); MAX_DRAWN * 10];
        assert_eq!(
            timeline(&context(), &many, "A trace").into_string().matches("<circle").count(),
            MAX_DRAWN
        );
    }

    #[test]
    fn durations_have_fitting_units() {
        for (ms, expected) in
            [(0.0, "0.0 ms"), (9.94, "9.9 ms"), (250.0, "250 ms"), (1500.0, "1.50 s"), (180_000.0, "3.0 min")]
        {
            assert_eq!(duration(ms), expected);
        }
    }
}
