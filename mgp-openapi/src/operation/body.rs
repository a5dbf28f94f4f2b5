//! The body of an operation's requests.

use super::{Location, MediaKind, Method, OmissionReason, Serialization};
use crate::{
    document::References,
    limits::MAX_ENTRIES,
    schema::{Kind, Kinds, ObjectMembers, SchemaTable},
};
use serde_json::Value;

/// The body of requests.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Body {
    pub(crate) content_type: String,
    pub(crate) format: BodyFormat,
    pub(crate) is_required: bool,
    pub(crate) shape: BodyShape,
}

/// The format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    Json,
    Form,
    Multipart,
    Text,
    /// Bytes, which the argument has in base64.
    Bytes,
}

/// The arguments that make up a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BodyShape {
    /// Each member is an argument.
    Members {
        members: Vec<BodyMember>,
        /// True if the body may have members that the document does not name.
        is_open: bool,
    },
    /// The whole body is one argument.
    Whole { argument: String, kinds: Kinds },
}

/// A member of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BodyMember {
    /// The name in the request.
    pub(crate) name: String,
    /// The name of the tool's argument.
    pub(crate) argument: String,
    pub(crate) is_required: bool,
    pub(crate) kinds: Kinds,
    pub(crate) format: PartFormat,
}

/// The form of a member of a form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PartFormat {
    /// The form that the document describes, if any. Without one, lists are repeated and objects are JSON.
    pub(crate) serialization: Option<Serialization>,
    pub(crate) content_type: Option<String>,
    /// True for files, which arguments have in base64.
    pub(crate) is_file: bool,
}

/// A body with the parts of the document that describe it.
#[derive(Debug)]
pub(crate) struct DescribedBody<'d> {
    pub(crate) content_type: &'d str,
    pub(crate) format: BodyFormat,
    pub(crate) is_required: bool,
    pub(crate) schema: Option<&'d Value>,
    /// The members that become arguments. Absent if the whole body is one argument.
    pub(crate) members: Option<ObjectMembers<'d>>,
    pub(crate) description: Option<&'d str>,
    encoding: Option<&'d Value>,
}

impl<'d> DescribedBody<'d> {
    /// Reads the body of an operation, if it has one. An optional body that cannot have content is none, and so is that of a
    /// safe method, which OpenAPI 3.0 ignores.
    pub(crate) fn read(
        operation: &'d Value,
        method: Method,
        table: &SchemaTable<'d>,
        references: References<'d>,
    ) -> Result<Option<Self>, OmissionReason> {
        let Some(body) = operation.get("requestBody") else { return Ok(None) };
        let body = references.follow(body)?;
        let is_required = body.get("required") == Some(&Value::Bool(true));
        if method.is_safe() && !is_required {
            return Ok(None);
        }
        let content = body.get("content").and_then(Value::as_object);
        let Some((content_type, media)) =
            content.into_iter().flatten().take(MAX_ENTRIES).min_by_key(|(name, _)| rank(name))
        else {
            return Ok(None);
        };
        let schema = media.get("schema").filter(|schema| schema.is_object());
        let format = match MediaKind::of(content_type) {
            MediaKind::Json => BodyFormat::Json,
            MediaKind::Form => BodyFormat::Form,
            MediaKind::Multipart => BodyFormat::Multipart,
            MediaKind::Text => BodyFormat::Text,
            MediaKind::Image | MediaKind::Audio | MediaKind::Bytes => BodyFormat::Bytes,
        };
        let has_members = matches!(format, BodyFormat::Json | BodyFormat::Form | BodyFormat::Multipart);
        let members = schema.filter(|_| has_members).and_then(|schema| ObjectMembers::of(schema, table));
        if !is_required && members.as_ref().is_some_and(|members| members.members.is_empty()) {
            return Ok(None);
        }
        Ok(Some(Self {
            content_type,
            format,
            is_required,
            schema,
            members,
            description: body.get("description").and_then(Value::as_str),
            encoding: media.get("encoding"),
        }))
    }

    /// Returns the media type of requests.
    pub(crate) fn request_type(&self) -> String {
        let is_safe = http::HeaderValue::try_from(self.content_type).is_ok();
        match self.format {
            // Range of media types.
            _ if self.content_type.contains('*') => "application/json".to_owned(),
            _ if !is_safe => "application/octet-stream".to_owned(),
            _ => self.content_type.to_owned(),
        }
    }

    /// Returns the form of a member.
    pub(crate) fn part_format(&self, name: &str, schema: &Value, references: References<'_>) -> PartFormat {
        let encoding = self.encoding.and_then(|encoding| encoding.get(name));
        let is_styled = |encoding: &&Value| {
            ["style", "explode", "allowReserved"].iter().any(|keyword| encoding.get(*keyword).is_some())
        };
        let content_type = encoding.and_then(|encoding| encoding.get("contentType")).and_then(Value::as_str);
        let content_type = content_type.and_then(|list| list.split(',').next()).map(str::trim);
        let content_type = content_type.filter(|name| {
            !name.contains('*') && !name.is_empty() && http::HeaderValue::try_from(*name).is_ok()
        });
        let is_file = self.format == BodyFormat::Multipart && is_file(schema, content_type, references);
        PartFormat {
            serialization: encoding
                .filter(is_styled)
                .map(|encoding| Serialization::read(encoding, Location::Query)),
            content_type: content_type.map(str::to_owned),
            is_file,
        }
    }

    /// Returns the kinds of the one argument of a body without members.
    pub(crate) fn kinds(&self, references: References<'_>) -> Kinds {
        match self.format {
            BodyFormat::Text | BodyFormat::Bytes => Kinds::one(Kind::String),
            BodyFormat::Multipart => Kinds::one(Kind::Object),
            BodyFormat::Form if self.is_encoded_text(references) => Kinds::one(Kind::String),
            BodyFormat::Form => Kinds::one(Kind::Object),
            BodyFormat::Json => self.schema.map_or(Kinds::ANY, |schema| Kinds::of(schema, references)),
        }
    }
}

impl DescribedBody<'_> {
    /// Returns whether the body is a form that the document describes as one text, already encoded.
    fn is_encoded_text(&self, references: References<'_>) -> bool {
        self.schema.is_some_and(|schema| Kinds::of(schema, references) == Kinds::one(Kind::String))
    }
}

impl PartFormat {
    /// Returns the form of a member that the document does not describe.
    pub(crate) fn plain() -> Self {
        Self { serialization: None, content_type: None, is_file: false }
    }
}

/// Returns the place of a media type in the order of preference.
fn rank(media_type: &str) -> u8 {
    match (MediaKind::of(media_type), super::essence(media_type).as_str()) {
        (_, "application/json") => 0,
        // A patch as a list of operations is harder to write than a merge.
        (_, "application/json-patch+json") => 6,
        (_, "*/*") => 2,
        (MediaKind::Json, _) => 1,
        (MediaKind::Multipart, _) => 3,
        (MediaKind::Form, _) => 4,
        (MediaKind::Text, _) => 7,
        _ => 8,
    }
}

/// Returns whether a part of a multipart body is a file, or a list of files.
fn is_file(schema: &Value, content_type: Option<&str>, references: References<'_>) -> bool {
    let Ok(schema) = references.follow(schema) else { return false };
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    if let Some(items) = schema.get("items") {
        // A list of lists is not a list of files.
        return references.follow(items).is_ok_and(|items| items.get("items").is_none())
            && is_file(items, content_type, references);
    }
    let is_marked = text("format") == Some("binary") || text("type") == Some("file");
    let is_raw = text("contentMediaType").is_some() && text("contentEncoding").is_none();
    let is_bytes = schema.get("type").is_none()
        && content_type.is_some_and(|name| {
            matches!(MediaKind::of(name), MediaKind::Bytes | MediaKind::Image | MediaKind::Audio)
        });
    is_marked || is_raw || is_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Direction;
    use serde_json::json;

    #[test]
    fn the_media_type_that_is_easiest_to_write_is_chosen() {
        for (types, expected) in [
            (["text/plain", "application/json"], "application/json"),
            (["application/json-patch+json", "application/merge-patch+json"], "application/merge-patch+json"),
            (["application/xml", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"),
            (["application/octet-stream", "multipart/form-data"], "multipart/form-data"),
        ] {
            let root = json!({"requestBody": {"content": {types[0]: {}, types[1]: {}}}});
            let references = References::new(&root);
            let table = SchemaTable::new(references, Direction::Input);
            let body = DescribedBody::read(&root, Method::Post, &table, references).unwrap().unwrap();
            assert_eq!(body.content_type, expected);
        }
    }

    #[test]
    fn a_body_without_content_is_absent_unless_it_is_required() {
        let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
        for (method, schema, is_required, expected) in [
            (Method::Post, &empty, false, false),
            (Method::Post, &empty, true, true),
            (Method::Get, &json!({"type": "array"}), false, false),
            (Method::Get, &json!({"type": "array"}), true, true),
            (Method::Delete, &json!({"type": "array"}), false, true),
        ] {
            let content = json!({"application/json": {"schema": schema}});
            let root = json!({"requestBody": {"required": is_required, "content": content}});
            let references = References::new(&root);
            let table = SchemaTable::new(references, Direction::Input);
            let body = DescribedBody::read(&root, method, &table, references).unwrap();
            assert_eq!(body.is_some(), expected, "{method} {root}");
        }
    }

    #[test]
    fn files_are_recognized_by_format_and_media_type() {
        let root = json!({"file": {"type": "string", "format": "binary"}});
        for (schema, content_type, expected) in [
            (json!({"$ref": "#/file"}), None, true),
            (json!({"type": "array", "items": {"$ref": "#/file"}}), None, true),
            (json!({"type": "string", "contentMediaType": "image/png"}), None, true),
            (
                json!({"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"}),
                None,
                false,
            ),
            (json!({}), Some("image/png"), true),
            (json!({"type": "object"}), Some("application/json"), false),
            (json!({"type": "string"}), None, false),
        ] {
            assert_eq!(is_file(&schema, content_type, References::new(&root)), expected, "{schema}");
        }
    }
}
