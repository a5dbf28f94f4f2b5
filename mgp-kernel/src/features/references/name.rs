//! The ids of references, their short names, and the error of an unknown one.

use mgp_types::{error::ErrorCode, rpc::ErrorObject};

/// The beginning of every id.
const BEGIN: &str = "ref-";

/// The length of an id without its beginning, in hexadecimal digits.
const DIGITS: usize = 32;

/// The number of characters of a short name.
const SHOWN: usize = BEGIN.len() + 8;

/// Returns an unguessable id.
pub(super) fn fresh_id() -> String {
    format!("{BEGIN}{}", uuid::Uuid::new_v4().simple())
}

/// Returns whether a text has the form of an id.
pub(super) fn is_id(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix(BEGIN).is_some_and(|rest| rest.len() == DIGITS && rest.bytes().all(is_digit))
}

/// Returns the beginning of an id, for errors and the audit trail. The key of shared data is derived from the whole id, which is therefore not
/// stored anywhere.
pub(super) fn short_name(id: &str) -> String {
    let mut name: String = id.chars().take(SHOWN).collect();
    if name.len() < id.len() {
        name.push('…');
    }
    name
}

/// Returns the error of an unknown reference. It is the same for another caller's reference, an expired one, and one that never existed.
pub(super) fn unknown(id: &str) -> ErrorObject {
    let id = short_name(id);
    ErrorCode::ResourceNotFound.error(format!(
        "unknown reference {id:?}: expected one that was kept for you and has not expired; call its tool again with keep_result"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_leaves_out_most_of_an_id() {
        let id = fresh_id();
        assert!(is_id(&id) && short_name(&id).len() < 20 && id.starts_with(&short_name(&id)[..12]));
        assert_eq!(short_name("ref-1"), "ref-1");
        for other in
            ["", "ref-1", &id[..35], &format!("{id}0"), &id.to_uppercase(), &id.replace("ref-", "reg-")]
        {
            assert!(!is_id(other), "{other}");
        }
    }
}
