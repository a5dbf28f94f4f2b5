//! One form for all JSON texts that mean the same, so that they have one hash.

use mgp_types::json::{RawJson, RawObject};
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a value's canonical form.
pub(crate) fn digest(value: &RawJson) -> [u8; 32] {
    let mut text = Vec::with_capacity(value.as_bytes().len());
    write(value, &mut text);
    Sha256::digest(&text).into()
}

/// Writes a value with its members in the order of their keys, each string with the same escapes, and no white space.
///
/// Numbers stay as they are written. An object that holds a key twice stays too: two readers could read it in two ways, so it
/// equals nothing but itself.
pub(crate) fn write(value: &RawJson, out: &mut Vec<u8>) {
    match value.as_bytes().first() {
        Some(b'{') => match RawObject::from_json(value) {
            Ok(object) => object_members(&object, out),
            Err(_) => out.extend_from_slice(value.as_bytes()),
        },
        Some(b'[') => match value.decode::<Vec<RawJson>>() {
            Ok(items) => {
                out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    write(item, out);
                }
                out.push(b']');
            }
            Err(_) => out.extend_from_slice(value.as_bytes()),
        },
        Some(b'"') => match value.to_text() {
            Some(text) => out.extend_from_slice(RawJson::string(text.as_str()).as_bytes()),
            None => out.extend_from_slice(value.as_bytes()),
        },
        _ => out.extend_from_slice(value.as_bytes()),
    }
}

fn object_members(object: &RawObject, out: &mut Vec<u8>) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    out.push(b'{');
    for (i, (key, value)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(RawJson::string(key).as_bytes());
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> [u8; 32] {
        digest(&RawJson::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn texts_that_mean_the_same_have_one_hash() {
        let one = of(r#"{"a":[1,{"c":"\u0078","b":null}],"d":"x"}"#);
        assert_eq!(of(" { \"d\":\"\\u0078\" , \"a\": [ 1, {\"b\":null,\"\\u0063\":\"x\"} ] } "), one);
    }

    #[test]
    fn texts_that_could_be_read_in_another_way_have_other_hashes() {
        let one = of(r#"{"a":1,"b":2}"#);
        for other in [
            r#"{"a":1,"b":3}"#,
            r#"{"a":1,"b":2,"b":2}"#,
            r#"{"a":2,"a":1,"b":2}"#,
            r#"{"a":1.0,"b":2}"#,
            r#"{"a":"1","b":2}"#,
            r#"{"a":1}"#,
            r#"[{"a":1,"b":2}]"#,
        ] {
            assert_ne!(of(other), one, "{other}");
        }
        assert_ne!(of("[1,2]"), of("[2,1]"));
    }
}
