//! A parameter of an operation: its place in the request, and the form of its value.

use super::{MediaKind, OmissionReason};
use crate::{document::References, schema::Kinds, text::shown_value};
use serde_json::Value;

/// The headers that a parameter cannot set: OpenAPI leaves the first three to the body and to security, and the others
/// are those of the connection.
const RESERVED_HEADERS: &[&str] = &[
    "accept",
    "content-type",
    "authorization",
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "cookie",
];

/// The part of a request that holds a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
    Cookie,
}

/// A style of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

/// The form of a value that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Serialization {
    pub(crate) style: Style,
    pub(crate) explodes: bool,
    pub(crate) allows_reserved: bool,
}

/// The form of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterFormat {
    Styled(Serialization),
    Json,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameter {
    /// The name in the request.
    pub(crate) name: String,
    /// The name of the tool's argument.
    pub(crate) argument: String,
    pub(crate) location: Location,
    pub(crate) format: ParameterFormat,
    pub(crate) is_required: bool,
    pub(crate) kinds: Kinds,
}

/// A parameter with the parts of the document that describe it.
#[derive(Debug, Clone)]
pub(crate) struct DescribedParameter<'d> {
    pub(crate) parameter: Parameter,
    pub(crate) schema: Option<&'d Value>,
    pub(crate) source: &'d Value,
}

impl Location {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "path" => Self::Path,
            "query" => Self::Query,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }

    fn default_style(self) -> Style {
        match self {
            Self::Path | Self::Header => Style::Simple,
            Self::Query | Self::Cookie => Style::Form,
        }
    }

    /// Returns whether a location can have a style.
    fn has(self, style: Style) -> bool {
        match self {
            Self::Path => matches!(style, Style::Simple | Style::Label | Style::Matrix),
            Self::Header => style == Style::Simple,
            Self::Cookie => style == Style::Form,
            Self::Query => !matches!(style, Style::Simple | Style::Label | Style::Matrix),
        }
    }
}

impl Style {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "simple" => Self::Simple,
            "label" => Self::Label,
            "matrix" => Self::Matrix,
            "form" => Self::Form,
            "spaceDelimited" => Self::SpaceDelimited,
            "pipeDelimited" => Self::PipeDelimited,
            "deepObject" => Self::DeepObject,
            _ => return None,
        })
    }
}

impl Serialization {
    /// Returns the form that a parameter or an encoding describes. A style that the location cannot have is the default one.
    pub(crate) fn read(source: &Value, location: Location) -> Self {
        let style = source.get("style").and_then(Value::as_str).and_then(Style::parse);
        let style = style.filter(|style| location.has(*style)).unwrap_or(location.default_style());
        let flag = |name: &str| source.get(name).and_then(Value::as_bool);
        Self {
            style,
            explodes: flag("explode").unwrap_or(matches!(style, Style::Form | Style::DeepObject)),
            allows_reserved: flag("allowReserved").unwrap_or(false) && location == Location::Query,
        }
    }
}

impl<'d> DescribedParameter<'d> {
    /// Reads a parameter. `None` for a parameter that requests cannot have, such as a header of the connection.
    pub(crate) fn read(value: &'d Value, references: References<'d>) -> Result<Option<Self>, OmissionReason> {
        let source = references.follow(value)?;
        let (Some(name), Some(location)) =
            (source.get("name").and_then(Value::as_str), source.get("in").and_then(Value::as_str))
        else {
            let part = "a parameter".to_owned();
            let expected = "an object with the texts `name` and `in`";
            return Err(OmissionReason::Form { part, value: shown_value(source), expected });
        };
        let Some(location) = Location::parse(location) else {
            let part = format!("the location of the parameter `{name}`");
            let value = shown_value(&Value::from(location));
            return Err(OmissionReason::Form { part, value, expected: "path, query, header or cookie" });
        };
        let is_required = location == Location::Path || source.get("required") == Some(&Value::Bool(true));
        let is_field_name = |name: &str| http::HeaderName::try_from(name).is_ok();
        if matches!(location, Location::Header | Location::Cookie) {
            let is_reserved =
                location == Location::Header && RESERVED_HEADERS.contains(&&*name.to_ascii_lowercase());
            if is_reserved || !is_field_name(name) && !is_required {
                return Ok(None);
            }
            if !is_field_name(name) {
                let part = format!("the name of a {}", location.name());
                let expected = "letters, digits, `-` and `_`";
                return Err(OmissionReason::Form { part, value: shown_value(&name.into()), expected });
            }
        }
        let content =
            source.get("content").and_then(Value::as_object).and_then(|content| content.iter().next());
        let (schema, is_json) = match content {
            Some((media_type, content)) => {
                (content.get("schema"), MediaKind::of(media_type) == MediaKind::Json)
            }
            // Some documents put the keywords of the schema next to those of the parameter, as Swagger did.
            None => (source.get("schema").or_else(|| source.get("type").map(|_| source)), false),
        };
        let serialization = Serialization::read(source, location);
        let parameter = Parameter {
            name: name.to_owned(),
            argument: String::new(),
            location,
            format: if is_json { ParameterFormat::Json } else { ParameterFormat::Styled(serialization) },
            is_required,
            kinds: schema.map_or(Kinds::ANY, |schema| Kinds::of(schema, references)),
        };
        Ok(Some(Self { parameter, schema, source }))
    }

    /// Makes a parameter one of the query, with a name there.
    pub(crate) fn move_to_query(&mut self, name: &str) {
        if self.parameter.location == Location::Path {
            self.parameter.format =
                ParameterFormat::Styled(Serialization::read(self.source, Location::Query));
        }
        self.parameter.location = Location::Query;
        name.clone_into(&mut self.parameter.name);
    }

    /// Returns a parameter for a place of a path or its query that no parameter describes.
    pub(crate) fn undescribed(name: &str, location: Location) -> Self {
        let parameter = Parameter {
            name: name.to_owned(),
            argument: String::new(),
            location,
            format: ParameterFormat::Styled(Serialization::read(&Value::Null, location)),
            is_required: location == Location::Path,
            kinds: Kinds::ANY,
        };
        Self { parameter, schema: None, source: &Value::Null }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(source: &Value) -> Result<Option<Parameter>, OmissionReason> {
        let root = Value::Null;
        DescribedParameter::read(source, References::new(&root))
            .map(|found| found.map(|found| found.parameter))
    }

    #[test]
    fn styles_have_the_defaults_of_their_location() {
        for (source, expected) in [
            (json!({"name": "a", "in": "path"}), (Style::Simple, false)),
            (json!({"name": "a", "in": "query"}), (Style::Form, true)),
            (json!({"name": "a", "in": "header", "style": "form"}), (Style::Simple, false)),
            (json!({"name": "a", "in": "cookie"}), (Style::Form, true)),
            (json!({"name": "a", "in": "query", "style": "pipeDelimited"}), (Style::PipeDelimited, false)),
            (json!({"name": "a", "in": "query", "explode": false}), (Style::Form, false)),
        ] {
            let Ok(Some(Parameter { format: ParameterFormat::Styled(form), .. })) = read(&source) else {
                panic!("{source}");
            };
            assert_eq!((form.style, form.explodes), expected, "{source}");
        }
    }

    #[test]
    fn headers_of_the_connection_are_passed_over() {
        assert_eq!(read(&json!({"name": "Host", "in": "header", "required": true})), Ok(None));
        assert_eq!(read(&json!({"name": "bad name", "in": "header"})), Ok(None));
        assert!(read(&json!({"name": "bad name", "in": "header", "required": true})).is_err());
    }

    #[test]
    fn a_parameter_of_another_form_is_named() {
        let error = read(&json!({"name": "a", "in": "formData"})).unwrap_err().to_string();
        let expected =
            "the location of the parameter `a` is \"formData\", expected path, query, header or cookie";
        assert_eq!(error, expected);
        assert!(read(&json!({"in": "query"})).is_err());
    }
}
