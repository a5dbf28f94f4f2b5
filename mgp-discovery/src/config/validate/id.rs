//! The rules for server ids.

/// The longest id, in characters: the 64 characters of an exposed tool name hold the id and the tool's name.
const MAX_LENGTH: usize = 48;

/// Checks that a text can be a server's id.
///
/// A call names a tool as `server__tool`, so an id holds no `__` and does not end in `_`: the id always ends at the
/// first `__`. Names that start with `mgp` and a separator are reserved for the kernel.
///
/// # Errors
/// A sentence that states the violated rule.
pub fn server_id(id: &str) -> Result<(), String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let shown: String = id.chars().take(MAX_LENGTH + 1).collect();
    let say = |what: &str| Err(format!("{shown:?} is not a server id: {what}"));
    if id.is_empty() || id.chars().count() > MAX_LENGTH {
        return say(&format!("expected 1 to {MAX_LENGTH} characters"));
    }
    if !id.chars().all(legal) || !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return say("expected letters, digits, '.', '_' and '-', with a letter or digit first");
    }
    if id.contains("__") || id.ends_with('_') {
        return say("expected no \"__\" and no '_' at the end, because calls name a tool as server__tool");
    }
    if id == "mgp" || ["mgp.", "mgp_", "mgp-"].iter().any(|reserved| id.starts_with(reserved)) {
        return say("names that start with \"mgp\" and a separator are reserved for the gateway");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_keep_calls_unambiguous_are_valid() {
        for id in ["a", "mind.cerebras", "tool_1", "x-y", "9", "mgpx"] {
            assert_eq!(server_id(id), Ok(()), "{id}");
        }
        let long = "a".repeat(49);
        for id in ["", "a__b", "a_", "_a", ".a", "a b", "é", "a/b", "mgp", "mgp.x", "mgp_x", long.as_str()] {
            assert!(server_id(id).is_err(), "{id}");
        }
    }
}
