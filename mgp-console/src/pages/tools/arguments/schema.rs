//! From a tool's JSON Schema to the fields of a form.

use super::{
    field::ArgumentField,
    name::{ArgumentKind, EmptyField, FieldName},
};
use mgp_types::json::{RawJson, RawObject};
use serde::Deserialize;

/// The depth to which objects have fields of their own.
const MAX_DEPTH: usize = 3;
/// The most fields of a form, after which its tool gets one field for all arguments.
const MAX_FIELDS: usize = 120;
/// The most values to choose from.
const MAX_CHOICES: usize = 200;
/// The longest name of an argument, in bytes.
const MAX_NAME: usize = 200;
/// The most steps from a schema to the one that it refers to.
const MAX_STEPS: usize = 16;

/// Returns the fields for the arguments that a schema describes. `None` if the schema describes too many, or is not one of an object.
pub(in crate::pages::tools) fn fields(schema: &RawJson) -> Option<Vec<ArgumentField>> {
    let root = RawObject::from_json(schema).ok()?;
    let mut reader = SchemaReader { root: &root, left: MAX_FIELDS };
    let whole = reader.resolve(schema)?;
    reader.group(&whole.schema, &[])
}

struct SchemaReader<'a> {
    root: &'a RawObject,
    left: usize,
}

/// A schema without references.
struct ResolvedSchema {
    schema: RawObject,
    description: Option<String>,
    default: Option<RawJson>,
    is_nullable: bool,
}

/// One type, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Types {
    One(String),
    Several(Vec<String>),
}

impl SchemaReader<'_> {
    /// Returns the fields of an object.
    fn group(&mut self, schema: &RawObject, path: &[String]) -> Option<Vec<ArgumentField>> {
        let properties = match schema.get("properties") {
            Some(properties) => RawObject::from_json(properties).ok()?,
            None => RawObject::new(),
        };
        let required: Vec<String> = schema.decode("required").ok().flatten().unwrap_or_default();
        let mut fields = Vec::with_capacity(properties.len().min(MAX_FIELDS));
        for (name, property) in properties.iter() {
            self.left = self.left.checked_sub(1)?;
            if name.len() > MAX_NAME {
                return None;
            }
            let is_required = required.iter().any(|required| required == name);
            let path: Vec<_> = path.iter().cloned().chain([name.to_owned()]).collect();
            fields.push(self.field(property, is_required, path)?);
        }
        Some(fields)
    }

    fn field(&mut self, property: &RawJson, is_required: bool, path: Vec<String>) -> Option<ArgumentField> {
        let resolved = self.resolve(property);
        let is_nullable = resolved.as_ref().is_some_and(|resolved| resolved.is_nullable);
        let empty = match (is_required, is_nullable) {
            (false, _) => EmptyField::LeftOut,
            (true, true) => EmptyField::Null,
            (true, false) => EmptyField::Missing,
        };
        let Some(ResolvedSchema { schema, description, default, .. }) = resolved else {
            let name = FieldName { kind: ArgumentKind::Json, empty, path };
            return Some(ArgumentField {
                name,
                description: None,
                default: None,
                bounds: None,
                choices: Vec::new(),
                fields: Vec::new(),
            });
        };
        let choices = choices(&schema);
        let kind = match choices.is_empty() {
            true => self.kind(&schema, path.len()),
            false => ArgumentKind::Choice,
        };
        let fields = match kind {
            ArgumentKind::Group => self.group(&schema, &path)?,
            _ => Vec::new(),
        };
        let bounds = matches!(kind, ArgumentKind::Integer | ArgumentKind::Number).then(|| bounds(&schema));
        let name = FieldName { kind, empty, path };
        Some(ArgumentField { name, description, default, bounds: bounds.flatten(), choices, fields })
    }

    fn kind(&self, schema: &RawObject, depth: usize) -> ArgumentKind {
        let has_members = schema.object("properties").is_some_and(|properties| !properties.is_empty());
        match one_type(schema).as_deref() {
            Some("string") => ArgumentKind::Text,
            Some("integer") => ArgumentKind::Integer,
            Some("number") => ArgumentKind::Number,
            Some("boolean") => ArgumentKind::Boolean,
            Some("array") if self.has_texts(schema) => ArgumentKind::Texts,
            Some("object") if has_members && depth < MAX_DEPTH => ArgumentKind::Group,
            None if has_members && schema.get("type").is_none() && depth < MAX_DEPTH => ArgumentKind::Group,
            _ => ArgumentKind::Json,
        }
    }

    /// Returns whether the items of a list are texts.
    fn has_texts(&self, schema: &RawObject) -> bool {
        let items = schema.get("items").and_then(|items| self.resolve(items));
        items.is_some_and(|items| !items.is_nullable && one_type(&items.schema).as_deref() == Some("string"))
    }

    /// Follows references, and unwraps a schema whose only alternative is `null`. Returns `None` for a schema that is not an object, or whose
    /// references lead nowhere.
    fn resolve(&self, schema: &RawJson) -> Option<ResolvedSchema> {
        let mut found = RawObject::from_json(schema).ok()?;
        let (mut description, mut default, mut is_nullable) = (None, None, false);
        for _ in 0..MAX_STEPS {
            description = description.or_else(|| found.text("description")).or_else(|| found.text("title"));
            default = default.or_else(|| found.get("default").cloned());
            is_nullable = is_nullable || allows_null(&found);
            let next = if let Some(reference) = found.text("$ref") {
                self.referenced(&reference)?
            } else if let Some((only, has_null)) = only_branch(&found) {
                is_nullable = is_nullable || has_null;
                only
            } else {
                return Some(ResolvedSchema { schema: found, description, default, is_nullable });
            };
            found = RawObject::from_json(&next).ok()?;
        }
        None
    }

    /// Returns the schema at a reference into the same document.
    fn referenced(&self, reference: &str) -> Option<RawJson> {
        let pointer = reference.strip_prefix('#')?;
        let mut parts = pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
        let first = parts.next()?;
        parts.try_fold(self.root.get(&first)?.clone(), |value, part| {
            RawObject::from_json(&value).ok()?.get(&part).cloned()
        })
    }
}

/// Returns the only schema of `anyOf`, `oneOf` or `allOf` that is not `null`, and whether one is.
fn only_branch(schema: &RawObject) -> Option<(RawJson, bool)> {
    if schema.get("type").is_some() || schema.get("properties").is_some() {
        return None;
    }
    ["anyOf", "oneOf", "allOf"].into_iter().find_map(|key| {
        let branches: Vec<RawJson> = schema.decode(key).ok()??;
        let is_null = |branch: &RawJson| {
            RawObject::from_json(branch).is_ok_and(|branch| branch.text("type").as_deref() == Some("null"))
        };
        let (nulls, others): (Vec<_>, Vec<_>) = branches.into_iter().partition(is_null);
        let [only] = <[RawJson; 1]>::try_from(others).ok()?;
        Some((only, !nulls.is_empty()))
    })
}

fn types(schema: &RawObject) -> Vec<String> {
    match schema.decode("type") {
        Ok(Some(Types::One(one))) => vec![one],
        Ok(Some(Types::Several(several))) => several,
        _ => Vec::new(),
    }
}

/// Returns the only type, apart from `null`.
fn one_type(schema: &RawObject) -> Option<String> {
    let types: Vec<_> = types(schema).into_iter().filter(|name| name != "null").collect();
    <[String; 1]>::try_from(types).ok().map(|[only]| only)
}

fn allows_null(schema: &RawObject) -> bool {
    types(schema).iter().any(|name| name == "null")
}

/// Returns the values to choose from: those of `enum` or `const`, if none is a list or an object.
fn choices(schema: &RawObject) -> Vec<RawJson> {
    let one = schema.get("const").map(|only| vec![only.clone()]);
    let several = || schema.decode::<Vec<RawJson>>("enum").ok().flatten();
    let choices = one.or_else(several).unwrap_or_default();
    let is_usable =
        choices.len() <= MAX_CHOICES && !choices.iter().any(|choice| choice.is_object() || choice.is_array());
    if is_usable { choices } else { Vec::new() }
}

/// Returns the bounds of a number as a text, such as `1 – 50`.
fn bounds(schema: &RawObject) -> Option<String> {
    let bound = |key| schema.decode::<f64>(key).ok().flatten().map(|number| number.to_string());
    match (bound("minimum"), bound("maximum")) {
        (None, None) => None,
        (Some(least), None) => Some(format!("≥ {least}")),
        (None, Some(most)) => Some(format!("≤ {most}")),
        (Some(least), Some(most)) => Some(format!("{least} – {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(schema: &str) -> Option<Vec<ArgumentField>> {
        fields(&RawJson::parse(schema.to_owned()).unwrap())
    }

    fn names(fields: &[ArgumentField]) -> Vec<String> {
        let of_group = |field: &ArgumentField| names(&field.fields);
        fields.iter().flat_map(|field| [vec![field.name.to_string()], of_group(field)].concat()).collect()
    }

    #[track_caller]
    fn check(schema: &str, expected: &[&str]) {
        assert_eq!(names(&read(schema).unwrap()), expected, "{schema}");
    }

    #[test]
    fn each_type_has_its_field_in_the_order_of_the_schema() {
        check(
            r#"{"type":"object","required":["z","b"],"properties":{
                "z":{"type":"string"},"b":{"type":"integer"},"c":{"type":"number"},"d":{"type":"boolean"},
                "e":{"enum":["x",1]},"f":{"type":"array","items":{"type":"string"}},"g":{"type":"array","items":{"type":"integer"}},
                "h":{"type":"object"},"i":true,"j":{},"k":{"const":7},"l":{"enum":[[1],2]}}}"#,
            &[
                "text!/z",
                "integer!/b",
                "number/c",
                "boolean/d",
                "choice/e",
                "texts/f",
                "json/g",
                "json/h",
                "json/i",
                "json/j",
                "choice/k",
                "json/l",
            ],
        );
    }

    #[test]
    fn objects_have_fields_to_the_third_level() {
        check(
            r#"{"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"properties":{"c":{"type":"object",
                "properties":{"d":{"type":"string"}}},"e":{"type":"string"}}}}}}}"#,
            &["group/a", "group!/a/b", "json/a/b/c", "text/a/b/e"],
        );
    }

    #[test]
    fn references_and_optional_types_are_followed() {
        check(
            r##"{"type":"object","required":["a","b"],"$defs":{"Name":{"type":"string"},"Me":{"$ref":"#/$defs/Me"},
                "Tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/Tree"}}}},"properties":{
                "a":{"anyOf":[{"$ref":"#/$defs/Name"},{"type":"null"}]},"b":{"type":["null","integer"]},
                "c":{"allOf":[{"$ref":"#/$defs/Name"}]},"d":{"anyOf":[{"type":"string"},{"type":"integer"}]},
                "e":{"type":["string","integer"]},"f":{"$ref":"#/$defs/Me"},"g":{"$ref":"https://a.example/x"},
                "h":{"$ref":"#/$defs/None"},"i":{"type":"array","items":{"$ref":"#/$defs/Name"}},"j":{"$ref":"#/$defs/Tree"}}}"##,
            &[
                "text?/a",
                "integer?/b",
                "text/c",
                "json/d",
                "json/e",
                "json/f",
                "json/g",
                "json/h",
                "texts/i",
                "group/j",
                "group/j/left",
                "json/j/left/left",
            ],
        );
    }

    #[test]
    fn a_schema_with_too_much_has_no_form() {
        let many: Vec<_> = (0..=MAX_FIELDS).map(|n| format!(r#""a{n}":{{"type":"string"}}"#)).collect();
        let schema = |properties: &str| format!(r#"{{"properties":{{{properties}}}}}"#);
        assert!(read(&schema(&many[1..].join(","))).is_some());
        assert!(read(&schema(&many.join(","))).is_none());
        assert!(read(&schema(&format!(r#""{}":{{}}"#, "x".repeat(1_000_000)))).is_none());
        for other in ["true", "[]", "7", r#"{"properties":7}"#] {
            assert!(read(other).is_none(), "{other}");
        }
        assert_eq!(read(r#"{"type":"object"}"#), Some(Vec::new()));
    }

    #[test]
    fn a_field_has_its_description_default_and_bounds() {
        let fields = read(
            r##"{"required":["a","t"],"$defs":{"N":{"type":"integer","minimum":1,"maximum":50,"title":"N"}},
                "properties":{"a":{"$ref":"#/$defs/N","description":"How many","default":10},
                "b":{"type":"number","minimum":0.5,"default":2},"t":{"type":"array","items":{"type":"string"},"default":["x","y"]}}}"##,
        )
        .unwrap();
        let [a, b, t] = &fields[..] else { panic!("{fields:?}") };
        assert_eq!((a.description.as_deref(), a.bounds.as_deref()), (Some("How many"), Some("1 – 50")));
        assert_eq!((a.first_value().as_str(), a.label()), ("10", "a"));
        assert_eq!((b.first_value().as_str(), b.bounds.as_deref()), ("", Some("≥ 0.5")));
        assert_eq!(t.first_value(), "x\ny");
    }
}
