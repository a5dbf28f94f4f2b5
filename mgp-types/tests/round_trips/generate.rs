//! Generators of JSON texts to read.

use proptest::{collection::vec, prelude::*};

/// Generates numbers as text, including numbers that no Rust number holds.
pub(crate) fn number() -> impl Strategy<Value = String> {
    ("-?(0|[1-9][0-9]{0,40})", "(\\.[0-9]{1,30})?", "([eE][+-]?[0-9]{1,3})?")
        .prop_map(|(i, f, e)| i + &f + &e)
}

pub(crate) fn string() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap())
}

pub(crate) fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![number(), string(), Just("null".to_owned()), Just("true".to_owned())]
}

/// Generates any JSON, compact, without duplicate keys.
pub(crate) fn json() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec(inner, 0..4).prop_map(|values| members(&values)),
        ]
    })
}

pub(crate) fn members(values: &[String]) -> String {
    let members: Vec<_> = values.iter().enumerate().map(|(i, value)| format!("\"k{i}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

pub(crate) fn object() -> impl Strategy<Value = String> {
    vec(json(), 0..20).prop_map(|values| members(&values))
}

pub(crate) fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        number(),
        any::<i64>().prop_map(|n| n.to_string()),
        ".{0,40}".prop_map(|text| serde_json::to_string(&text).unwrap())
    ]
}

pub(crate) fn written<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) -> String {
    serde_json::to_string(&serde_json::from_str::<T>(text).unwrap()).unwrap()
}
