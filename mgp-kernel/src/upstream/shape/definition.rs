//! The definition of a shaped tool.

use super::ResultCache;
use mgp_discovery::config::{FixedValue, ShapedAnnotations, ShapedDescription, ToolShape};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::ToolAnnotations,
};
use serde_json::{Map, Value};
use std::fmt;

/// A tool that the operator changed.
pub(crate) struct ShapedTool {
    pub(crate) shape: ToolShape,
    /// The definition with the changes.
    pub(crate) definition: RawJson,
    /// The hints about the tool's effects, if the operator changed them.
    pub(crate) annotations: Option<ToolAnnotations>,
    /// The results that are repeated, if the operator wants that and the tool only reads.
    pub(crate) cache: Option<ResultCache>,
}

impl ShapedTool {
    /// Applies the changes to a server's own definition. A definition that is not an object stays as it is.
    pub(crate) fn new(own: &RawJson, shape: &ToolShape) -> Self {
        let definition = RawObject::from_json(own).map_or_else(|_| own.clone(), |own| shaped(own, shape));
        let hints = || RawObject::from_json(&definition).ok()?.decode("annotations").ok()?;
        let annotations = shape.annotations.and_then(|_| hints());
        let cache = ResultCache::of(&definition, shape.cache_secs);
        Self { shape: shape.clone(), definition, annotations, cache }
    }

    /// Returns the changes, a phrase each. Fixed values are left out, because they may be secret.
    pub(crate) fn summary(&self) -> Vec<String> {
        let shape = &self.shape;
        let renamed = shape.rename.as_ref().map(|_| format!("renamed from {:?}", shape.name));
        let parts = [
            (shape.title.is_some(), "its title"),
            (shape.description.is_some(), "its description"),
            (shape.annotations.is_some(), "its hints"),
            (shape.risk.is_some(), "its risk"),
            (shape.result.is_some(), "only a part of its results"),
        ];
        let parts = parts.into_iter().filter(|(is_changed, _)| *is_changed).map(|(_, part)| part.to_owned());
        let fixed = shape.arguments.keys().map(|name| format!("the argument {name:?}, which is fixed"));
        let defaults = shape.defaults.keys().map(|name| format!("the default of the argument {name:?}"));
        let tokens = shape.max_tokens.map(|tokens| format!("results of at most {tokens} tokens"));
        renamed.into_iter().chain(parts).chain(fixed).chain(defaults).chain(tokens).collect()
    }

    /// Returns the name of the tool at its server.
    pub(crate) fn own_name(&self) -> &str {
        &self.shape.name
    }
}

impl fmt::Debug for ShapedTool {
    /// Omits the fixed values, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShapedTool").field("name", &self.shape.name).finish_non_exhaustive()
    }
}

fn shaped(mut tool: RawObject, shape: &ToolShape) -> RawJson {
    tool.insert("name", RawJson::string(shape.shown_name()));
    if let Some(title) = &shape.title {
        tool.insert("title", RawJson::string(title));
        // A title in the hints is the older place, and would contradict this one.
        tool.edit("annotations", |annotations| annotations.remove("title").is_some());
    }
    match &shape.description {
        Some(ShapedDescription::Whole(text)) => drop(tool.insert("description", RawJson::string(text))),
        Some(ShapedDescription::Before { prepend }) => {
            let own = tool.text("description").unwrap_or_default();
            let text = if own.is_empty() { prepend.clone() } else { format!("{prepend}\n\n{own}") };
            tool.insert("description", RawJson::string(&text));
        }
        None => {}
    }
    if let Some(hints) = &shape.annotations {
        annotate(&mut tool, hints);
    }
    if !(shape.arguments.is_empty() && shape.defaults.is_empty()) {
        let schema = tool.decode::<Map<String, Value>>("inputSchema").ok().flatten();
        if let Some(schema) = schema.and_then(|schema| RawJson::from_value(&input(schema, shape)).ok()) {
            tool.insert("inputSchema", schema);
        }
    }
    // The selected part has another form, and a text that was cut off is not JSON any more.
    if shape.result.is_some() || shape.max_tokens.is_some() {
        tool.remove("outputSchema");
    }
    tool.to_json()
}

fn annotate(tool: &mut RawObject, hints: &ShapedAnnotations) {
    let hints = [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ];
    if tool.get("annotations").is_none_or(|annotations| !annotations.is_object()) {
        tool.insert("annotations", RawJson::empty_object());
    }
    tool.edit("annotations", |annotations| {
        for (name, value) in hints {
            if let Some(value) = value {
                annotations.insert(name, value.into());
            }
        }
        true
    });
}

/// Returns the schema of the arguments without fixed ones, and with the defaults of optional ones.
fn input(mut schema: Map<String, Value>, shape: &ToolShape) -> Map<String, Value> {
    let fixed = |name: &str| shape.arguments.contains_key(name);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !fixed(name));
        for (name, value) in &shape.defaults {
            match properties.get_mut(name) {
                Some(Value::Object(property)) => drop(property.insert("default".to_owned(), value.clone())),
                Some(_) => {}
                None => drop(properties.insert(name.clone(), serde_json::json!({ "default": value }))),
            }
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let is_required = |name: &str| !fixed(name) && !shape.defaults.contains_key(name);
        required.retain(|name| name.as_str().is_none_or(is_required));
        if required.is_empty() {
            schema.remove("required");
        }
    }
    schema
}

/// Returns the value of a fixed argument in a call of an agent.
pub(super) fn fixed(value: &FixedValue, agent: &str) -> RawJson {
    match value {
        FixedValue::Agent => RawJson::string(agent),
        FixedValue::Text(text) => RawJson::string(text.value()),
        FixedValue::Json(value) => RawJson::from_value(value).unwrap_or_else(|_| RawJson::null()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape(shape: &Value) -> ToolShape {
        let mut whole = json!({"name": "own"});
        whole.as_object_mut().unwrap().extend(shape.as_object().unwrap().clone());
        serde_json::from_value(whole).unwrap()
    }

    fn check(changes: &Value, own: &Value, expected: &Value) {
        let own = RawJson::from_value(own).unwrap();
        let shaped: Value = ShapedTool::new(&own, &shape(changes)).definition.decode().unwrap();
        assert_eq!(shaped, *expected, "{changes}");
    }

    #[test]
    fn texts_and_hints_replace_the_server_s() {
        let own = json!({"name": "own", "description": "Own.", "annotations": {"title": "T", "readOnlyHint": true}, "x": 1.0});
        check(
            &json!({"rename": "r", "title": "R", "description": {"prepend": "First."}, "annotations": {"read_only": false, "idempotent": true}}),
            &own,
            &json!({"name": "r", "title": "R", "description": "First.\n\nOwn.", "x": 1.0,
                "annotations": {"readOnlyHint": false, "idempotentHint": true}}),
        );
        check(
            &json!({"description": "Mine."}),
            &json!({"name": "own"}),
            &json!({"name": "own", "description": "Mine."}),
        );
        check(
            &json!({"annotations": {"destructive": true}}),
            &json!({"name": "own", "annotations": null}),
            &json!({"name": "own", "annotations": {"destructiveHint": true}}),
        );
    }

    #[test]
    fn fixed_arguments_leave_the_schema_and_defaults_are_optional() {
        let own = |schema| json!({"name": "own", "inputSchema": schema, "outputSchema": {}});
        check(
            &json!({"arguments": {"a": "hush"}, "defaults": {"b": 2}, "result": "/x"}),
            &own(
                json!({"type": "object", "properties": {"a": {}, "b": {"type": "integer"}, "c": {}}, "required": ["a", "b", "c"]}),
            ),
            &json!({"name": "own", "inputSchema": {"type": "object",
                "properties": {"b": {"type": "integer", "default": 2}, "c": {}}, "required": ["c"]}}),
        );
        check(
            &json!({"arguments": {"a": 1}}),
            &own(
                json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}),
            ),
            &json!({"name": "own", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false}, "outputSchema": {}}),
        );
        check(&json!({"arguments": {"a": 1}}), &json!({"name": "own"}), &json!({"name": "own"}));
    }
}
