//! Finds the parts of a message that a plain MCP peer must not see.

use super::Normal;

/// Returns the parts of a message that are MGP's: its method, members named `_mgp`, `security` or `mgp`. Values do not count, because
/// tools that the kernel offers under its own names are ordinary tools.
pub(crate) fn mgp_parts(message: &Normal) -> Vec<String> {
    let mut found = Vec::new();
    if let Normal::Object(members) = message
        && let Some(Normal::Text(method)) = members.get("method")
        && (method.starts_with("mgp/") || method.starts_with("notifications/mgp"))
    {
        found.push(format!("the method {method:?}"));
    }
    search(message, &mut found);
    found
}

fn search(value: &Normal, found: &mut Vec<String>) {
    match value {
        Normal::Object(members) => {
            for (key, value) in members {
                if matches!(key.as_str(), "_mgp" | "security" | "mgp" | "dev.cloto/mgp") {
                    found.push(format!("the member {key:?}"));
                }
                search(value, found);
            }
        }
        Normal::List(items) => items.iter().for_each(|item| search(item, found)),
        Normal::Word(_) | Normal::Text(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        mgp_parts(&Normal::parse(text).unwrap())
    }

    #[test]
    fn parts_of_mgp_are_found_at_any_depth() {
        for message in [
            r#"{"id":1,"method":"mgp/health/ping"}"#,
            r#"{"method":"notifications/mgp.stream.chunk","params":{}}"#,
            r#"{"id":1,"result":{"_mgp":{}}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"a","security":{}}]}}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"mgp":{}}}}"#,
            r#"{"id":1,"result":{"capabilities":{"experimental":{"mgp":{}}}}}"#,
        ] {
            assert_eq!(parts(message).len(), 1, "{message}");
        }
    }

    #[test]
    fn tools_named_like_mgp_s_are_ordinary() {
        let message = r#"{"id":1,"method":"tools/call","params":{"name":"mgp_tools_call","arguments":{"name":"security"}}}"#;
        assert_eq!(parts(message), Vec::<String>::new());
    }
}
