//! Defaults of a form: fields that the user left out get the value that the form proposes (SEP-1034).

use mgp_types::{
    json::RawObject,
    mcp::{ElicitAction, ElicitResult, FormElicitation},
};

/// Fills an accepted form's empty fields with their defaults.
pub(super) fn fill(form: &FormElicitation, mut answer: ElicitResult) -> ElicitResult {
    if answer.action != ElicitAction::Accept || !form.requested_schema.may_hold("default") {
        return answer;
    }
    let Ok(schema) = RawObject::from_json(&form.requested_schema) else { return answer };
    let properties = schema.object("properties").unwrap_or_default();
    let mut content = answer.content.take().unwrap_or_default();
    for (name, property) in properties.iter() {
        let default = RawObject::from_json(property).ok().and_then(|mut property| property.remove("default"));
        if let Some(default) = default.filter(|default| content.get(name).is_none() && !default.is_null()) {
            content.insert_named(name, default);
        }
    }
    answer.content = Some(content);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{json::RawJson, mcp::ElicitParams};

    fn filled(schema: &str, answer: &str) -> String {
        let ElicitParams::Form(form) = ElicitParams::form("?", RawJson::parse(schema.to_owned()).unwrap())
        else {
            panic!("a form is a form")
        };
        serde_json::to_string(&fill(&form, serde_json::from_str(answer).unwrap())).unwrap()
    }

    #[test]
    fn a_missing_field_gets_its_default_and_others_are_kept() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"number","default":1e500},"b":{"type":"string","default":"x"},"c":{"type":"string"},"d":{"type":"boolean","default":false}}}"#;
        assert_eq!(
            filled(schema, r#"{"action":"accept","content":{"b":"own"}}"#),
            r#"{"action":"accept","content":{"b":"own","a":1e500,"d":false}}"#
        );
        assert_eq!(
            filled(schema, r#"{"action":"accept"}"#),
            r#"{"action":"accept","content":{"a":1e500,"b":"x","d":false}}"#
        );
    }

    #[test]
    fn a_form_that_was_not_accepted_stays_empty() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string","default":"x"}}}"#;
        for answer in [r#"{"action":"decline"}"#, r#"{"action":"cancel"}"#] {
            assert_eq!(filled(schema, answer), answer);
        }
    }
}
