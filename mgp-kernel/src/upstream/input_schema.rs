//! The `inputSchema` of tools whose server sends none. Hosts reject a whole list if one tool lacks it.

use mgp_types::json::{RawJson, RawObject};

/// Returns a definition with an `inputSchema`: its own, that of the extension proposals (`input_schema`), or one that accepts any
/// object.
pub(super) fn with_input_schema(definition: RawJson) -> RawJson {
    let Ok(mut tool) = RawObject::from_json(&definition) else { return definition };
    if tool.get("inputSchema").is_some() {
        return definition;
    }
    let any = || RawObject::from_iter([("type", RawJson::string("object"))]).to_json();
    let schema = tool.get("input_schema").filter(|schema| schema.is_object()).cloned().unwrap_or_else(any);
    tool.insert("inputSchema", schema);
    tool.to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_has_its_own_schema_or_that_of_the_proposals_or_any_object() {
        for (definition, expected) in [
            (r#"{"name":"a","inputSchema":{"x":1},"input_schema":{}}"#, None),
            (r#"{"name":"a","input_schema":{"x":1}}"#, Some(r#""inputSchema":{"x":1}}"#)),
            (r#"{"name":"a","input_schema":7}"#, Some(r#""inputSchema":{"type":"object"}}"#)),
            (r#"{"name":"a"}"#, Some(r#""inputSchema":{"type":"object"}}"#)),
            ("[1]", None),
        ] {
            let shown = with_input_schema(RawJson::parse(definition).unwrap());
            match expected {
                None => assert_eq!(shown.as_str(), definition),
                Some(end) => assert!(shown.as_str().ends_with(end), "{}", shown.as_str()),
            }
        }
    }
}
