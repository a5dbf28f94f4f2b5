//! Reading and changing the `_mgp` member of params and results.
//!
//! The member occurs in params and results, is also read from `_meta.mgp`, and never occurs inside a tool's arguments.
//! These functions read the object's own keys and leave every other member unchanged.

use crate::json::{RawJson, RawObject};

/// The key of the member.
pub const MGP_MEMBER: &str = "_mgp";

/// Reads the member from params or a result: `_mgp`, otherwise `_meta.mgp`.
///
/// ```
/// use mgp_types::{json::RawObject, mgp_member};
/// let params = RawObject::parse(r#"{"name":"a","_meta":{"mgp":{"stream":true}}}"#)?;
/// assert_eq!(mgp_member::read(&params).and_then(|mgp| mgp.get("stream").cloned()), Some(true.into()));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn read(object: &RawObject) -> Option<RawObject> {
    object.object(MGP_MEMBER).or_else(|| object.object("_meta")?.object("mgp"))
}

/// Sets one key inside the member. If only `_meta.mgp` is set, its content is copied into `_mgp`.
pub fn set(object: &mut RawObject, key: &'static str, value: RawJson) {
    let member = match read(object) {
        None => RawJson::with_member(key, &value),
        Some(mut mgp) => {
            mgp.insert(key, value);
            mgp.to_json()
        }
    };
    object.insert(MGP_MEMBER, member);
}

/// Reduces the two places to one member: `_mgp`, or else the content of `_meta.mgp`. Two readers could prefer different ones.
pub fn unify(object: &mut RawObject) {
    if object.object("_meta").is_none_or(|meta| meta.get("mgp").is_none()) {
        return;
    }
    let member = object.get(MGP_MEMBER).cloned().or_else(|| object.object("_meta")?.remove("mgp"));
    strip(object);
    if let Some(member) = member {
        object.insert(MGP_MEMBER, member);
    }
}

/// Removes MGP from params or a result, for a plain MCP peer. A `_meta` that is then empty is removed, too.
pub fn strip(object: &mut RawObject) {
    object.remove(MGP_MEMBER);
    object.edit("_meta", |meta| meta.remove("mgp").is_some());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &'static str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn the_member_overrides_its_copy_in_meta() {
        let params = object(r#"{"_mgp":{"a":1},"_meta":{"mgp":{"a":2}}}"#);
        assert_eq!(read(&params).unwrap().get("a").unwrap().as_str(), "1");
        assert_eq!(read(&object(r#"{"arguments":{"_mgp":{"a":1}}}"#)), None);
    }

    #[test]
    fn of_two_members_one_remains() {
        for (before, after) in [
            (r#"{"_mgp":{"a":1},"_meta":{"mgp":{"a":2},"k":1}}"#, r#"{"_meta":{"k":1},"_mgp":{"a":1}}"#),
            (r#"{"_meta":{"mgp":{"a":2}},"n":1}"#, r#"{"n":1,"_mgp":{"a":2}}"#),
            (r#"{"_mgp":{"a":1},"_meta":{"k":1}}"#, r#"{"_mgp":{"a":1},"_meta":{"k":1}}"#),
        ] {
            let mut params = object(before);
            unify(&mut params);
            assert_eq!(params.to_json().as_str(), after);
        }
    }

    #[test]
    fn setting_a_key_changes_nothing_else() {
        let mut params = object(r#"{"n":1e500,"_meta":{"mgp":{"a":2}},"z":[ 1]}"#);
        set(&mut params, "b", RawJson::null());
        assert_eq!(
            params.to_json().as_str(),
            r#"{"n":1e500,"_meta":{"mgp":{"a":2}},"z":[ 1],"_mgp":{"a":2,"b":null}}"#
        );
    }

    #[test]
    fn nothing_of_mgp_reaches_a_plain_peer() {
        let mut params = object(r#"{"n":1e500,"_mgp":{},"_meta":{"mgp":{},"progressToken":1}}"#);
        strip(&mut params);
        assert_eq!(params.to_json().as_str(), r#"{"n":1e500,"_meta":{"progressToken":1}}"#);
        let mut params = object(r#"{"_meta":{"mgp":{}},"arguments":{"_mgp":1}}"#);
        strip(&mut params);
        assert_eq!(params.to_json().as_str(), r#"{"arguments":{"_mgp":1}}"#);
    }
}
