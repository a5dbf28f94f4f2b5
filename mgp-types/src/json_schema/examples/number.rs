//! Numbers within the bounds of a schema.

use serde_json::{Map, Number, Value};

/// Returns a whole number.
pub(super) fn integer(members: &Map<String, Value>, nth: usize) -> Option<Value> {
    let bound = |key: &str| members.get(key).and_then(Value::as_f64);
    let least = [bound("minimum").map(f64::ceil), bound("exclusiveMinimum").map(|bound| bound.floor() + 1.0)];
    let most = [bound("maximum").map(f64::floor), bound("exclusiveMaximum").map(|bound| bound.ceil() - 1.0)];
    let step = bound("multipleOf").filter(|step| *step > 0.0).map_or(1.0, whole_step);
    let value = place(highest(least), lowest(most), step, nth)?;
    if value.abs() > MAX_WHOLE {
        // Beyond it, floats are inexact; the schema's bound is taken literally.
        let exact = |key: &str| members.get(key).filter(|bound| bound.is_i64() || bound.is_u64()).cloned();
        return exact("minimum").or_else(|| exact("maximum"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    Some(Value::Number(Number::from(value as i64)))
}

/// Returns a number.
pub(super) fn number(members: &Map<String, Value>, nth: usize) -> Option<Value> {
    let bound = |key: &str| members.get(key).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let (low, high) = (highest([least, above]), lowest([most, below]));
    let value = match bound("multipleOf").filter(|step| *step > 0.0) {
        Some(step) => place(above.map(|above| above + step).or(low), high, step, nth)?,
        None => match (low, high) {
            // In the middle, where no bound is excluded.
            (Some(low), Some(high)) if above == Some(low) || below == Some(high) => low + (high - low) / 2.0,
            _ => place(low, high, 1.0, nth + usize::from(low.is_some() && above == low))?,
        },
    };
    Number::from_f64(value).map(Value::Number)
}

/// The largest number below which every whole number is a distinct float.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The least whole number that is a multiple of a step, if the step is a simple one.
fn whole_step(step: f64) -> f64 {
    (1..=1000).map(|times| step * f64::from(times)).find(|step| step.fract() == 0.0).unwrap_or(1.0)
}

/// Returns a multiple of a step within bounds: the `nth` from the lower end, or from one.
fn place(low: Option<f64>, high: Option<f64>, step: f64, nth: usize) -> Option<f64> {
    let start = match (low, high) {
        (Some(low), _) => low,
        (None, Some(high)) if high < 1.0 => high - step * 16.0,
        _ => 1.0,
    };
    let first = (start / step).ceil() * step;
    #[expect(clippy::cast_precision_loss, reason = "a few dozen at most")]
    let wanted = first + step * nth as f64;
    let fits = |value: &f64| high.is_none_or(|high| *value <= high);
    // Where steps end beyond the bound, the first may still fit.
    [wanted, first].into_iter().find(fits).or_else(|| high.filter(|high| low.is_none_or(|low| low <= *high)))
}

fn highest(bounds: [Option<f64>; 2]) -> Option<f64> {
    bounds.into_iter().flatten().reduce(f64::max)
}

fn lowest(bounds: [Option<f64>; 2]) -> Option<f64> {
    bounds.into_iter().flatten().reduce(f64::min)
}
