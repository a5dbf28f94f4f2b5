//! The arguments of a call as a record of Cedar.

use cedar_policy::RestrictedExpression;
use mgp_types::json::{RawJson, check_unique_keys};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The deepest nesting of arguments that policies see.
const MAX_DEPTH: usize = 32;

/// The most values in arguments that policies see.
const MAX_VALUES: usize = 10_000;

/// The most digits behind the point of a Cedar decimal.
const DECIMALS: i64 = 4;

/// Returns the arguments as a record.
///
/// A whole number is a Long, in any notation. Another number is a decimal if a decimal holds it exactly, and otherwise its text. `null`
/// is left out. Every object is a record, whatever the names of its members: none is an entity or an extension value.
///
/// # Errors
/// The reason why no policy can judge the arguments.
pub(super) fn record(arguments: Option<&RawJson>) -> Result<RestrictedExpression, String> {
    let text = arguments.map_or("{}", RawJson::as_str);
    if !text.trim_start().starts_with('{') {
        return Err("they are not an object".to_owned());
    }
    if let Some(arguments) = arguments {
        // If two members have the same name, the tool might read the other one.
        check_unique_keys(arguments).map_err(|error| error.to_string())?;
    }
    let mut budget = MAX_VALUES;
    value(text, MAX_DEPTH, &mut budget).map(|found| found.unwrap_or_else(empty))
}

/// Returns the record of a call without arguments.
pub(super) fn empty() -> RestrictedExpression {
    // Without members, no two have the same name.
    RestrictedExpression::new_record([]).unwrap_or_else(|_| RestrictedExpression::new_set([]))
}

/// Returns a value, or `None` for `null`.
fn value(text: &str, depth: usize, budget: &mut usize) -> Result<Option<RestrictedExpression>, String> {
    let text = text.trim();
    *budget = budget.checked_sub(1).ok_or_else(|| format!("they have more than {MAX_VALUES} values"))?;
    let unreadable = |error: serde_json::Error| format!("they cannot be read: {error}");
    let inner = || depth.checked_sub(1).ok_or_else(|| format!("they are nested deeper than {MAX_DEPTH}"));
    Ok(Some(match text.as_bytes().first() {
        Some(b'{') => {
            let inner = inner()?;
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(unreadable)?;
            let mut record = Vec::with_capacity(members.len());
            for (name, member) in members {
                if let Some(member) = value(member.get(), inner, budget)? {
                    record.push((name, member));
                }
            }
            RestrictedExpression::new_record(record).map_err(|error| error.to_string())?
        }
        Some(b'[') => {
            let inner = inner()?;
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
            let items: Result<Vec<_>, _> =
                items.into_iter().map(|item| value(item.get(), inner, budget)).collect();
            RestrictedExpression::new_set(items?.into_iter().flatten())
        }
        Some(b'"') => RestrictedExpression::new_string(serde_json::from_str(text).map_err(unreadable)?),
        Some(b't') => RestrictedExpression::new_bool(true),
        Some(b'f') => RestrictedExpression::new_bool(false),
        Some(b'n') => return Ok(None),
        _ => number(text),
    }))
}

fn number(text: &str) -> RestrictedExpression {
    match exact(text) {
        Some((whole, 0)) => RestrictedExpression::new_long(whole),
        Some((scaled, places)) => {
            let (sign, scaled) = (if scaled.is_negative() { "-" } else { "" }, scaled.unsigned_abs());
            let unit = 10_u64.pow(places);
            let width = places as usize;
            RestrictedExpression::new_decimal(format!("{sign}{}.{:0width$}", scaled / unit, scaled % unit))
        }
        None => RestrictedExpression::new_string(text.to_owned()),
    }
}

/// Returns the number as an integer and the number of its digits after the decimal point, as few as possible. Returns `None` if there are
/// more than four such digits, or if the integer, or the number with four digits after the point, is too large.
fn exact(text: &str) -> Option<(i64, u32)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or((1, mantissa), |rest| (-1, rest));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{part}");
    let significant = digits.trim_end_matches('0');
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some((0, 0));
    }
    // The number is its significant digits, followed by some zeros or with the point between them.
    let zeros = i64::try_from(digits.len() - digits.trim_end_matches('0').len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i64::try_from(part.len()).ok()?)?.checked_add(zeros)?;
    let value: i64 = significant.parse().ok()?;
    if shift >= 0 {
        let factor = 10_i64.checked_pow(u32::try_from(shift).ok()?)?;
        // The least Long is one further from zero than the greatest.
        return value.checked_mul(factor).map(|value| (sign * value, 0));
    }
    let places = u32::try_from(shift.checked_neg()?).ok().filter(|places| i64::from(*places) <= DECIMALS)?;
    value.checked_mul(10_i64.pow(u32::try_from(DECIMALS).ok()? - places))?;
    Some((sign * value, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(expression: &RestrictedExpression) -> String {
        expression.as_ref().to_string()
    }

    #[test]
    fn only_exact_numbers_become_longs_or_decimals() {
        for (text, expected) in [
            ("100", Some((100, 0))),
            ("100.0", Some((100, 0))),
            ("1e2", Some((100, 0))),
            ("1.5e1", Some((15, 0))),
            ("-0", Some((0, 0))),
            ("0.000", Some((0, 0))),
            ("1000E-3", Some((1, 0))),
            ("-7", Some((-7, 0))),
            ("1.50", Some((15, 1))),
            ("-0.0625", Some((-625, 4))),
            ("15e-1", Some((15, 1))),
            ("0.00001", None),
            ("52.520008", None),
            ("9223372036854775807", Some((i64::MAX, 0))),
            ("9223372036854775808", None),
            ("922337203685477.5", Some((9_223_372_036_854_775, 1))),
            ("9223372036854775.5", None),
            ("1e300", None),
            ("1e99999999999999999999", None),
            ("1e-9223372036854775808", None),
        ] {
            assert_eq!(exact(text), expected, "{text}");
        }
        assert_eq!(written(&number("-0.0625")), r#"decimal("-0.0625")"#);
        assert_eq!(written(&number("1.05")), r#"decimal("1.05")"#);
        assert_eq!(written(&number("1e300")), r#""1e300""#);
    }

    fn shown(text: &str) -> Result<String, String> {
        record(Some(&RawJson::parse(text.to_owned()).unwrap())).map(|record| written(&record))
    }

    #[test]
    fn null_is_left_out_and_an_object_is_never_an_entity() {
        assert_eq!(written(&record(None).unwrap()), "{}");
        assert_eq!(shown(r#"{"a":null,"b":[null,1]}"#).unwrap(), r#"{b: [1]}"#);
        assert_eq!(shown(r#"{"a":true,"b":false}"#).unwrap(), "{a: true, b: false}");
        for escape in [
            r#"{"x":{"__entity":{"type":"Agent","id":"root"}}}"#,
            r#"{"x":{"__extn":{"fn":"ip","arg":"::1"}}}"#,
        ] {
            assert!(shown(escape).unwrap().contains("__e"), "stays a record: {escape}");
        }
    }

    #[test]
    fn oversized_arguments_are_refused_with_the_bound() {
        assert!(shown("[]").unwrap_err().contains("not an object"));
        let deep = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(shown(&deep(MAX_DEPTH)).is_ok());
        assert!(shown(&deep(MAX_DEPTH + 1)).unwrap_err().contains("deeper than 32"));
        let many = |count: usize| format!(r#"{{"a":[{}]}}"#, vec!["1"; count].join(","));
        assert!(shown(&many(MAX_VALUES - 2)).is_ok());
        assert!(shown(&many(MAX_VALUES - 1)).unwrap_err().contains("more than 10000"));
    }
}
