//! The body of a request.

use super::{
    ArgumentError, RequestBody,
    arguments::{Arguments, invalid},
    file::file,
    form, multipart, value,
};
use crate::operation::{Body, BodyFormat, BodyMember, BodyShape, PartFormat};
use mgp_types::json::{RawJson, RawObject};
use std::borrow::Cow;

/// A member of a body with its value.
struct Field<'a> {
    name: Cow<'a, str>,
    argument: Cow<'a, str>,
    format: Cow<'a, PartFormat>,
    value: RawJson,
}

/// Returns the body of a request. An optional body without arguments is absent.
pub(super) fn body(body: &Body, arguments: &mut Arguments) -> Result<Option<RequestBody>, ArgumentError> {
    match &body.shape {
        BodyShape::Whole { argument, kinds } => {
            let Some(value) = arguments.take(argument, *kinds, body.is_required)? else { return Ok(None) };
            whole(body, argument, &value).map(Some)
        }
        BodyShape::Members { members, is_open } => {
            let is_present = body.is_required || members.iter().any(|member| arguments.has(&member.argument));
            let mut fields = Vec::new();
            for member in members {
                fields.extend(field(member, is_present, arguments)?);
            }
            if *is_open {
                let rest = arguments.take_rest().into_iter();
                fields.extend(rest.map(|(name, value)| Field {
                    argument: name.clone().into(),
                    name: name.into(),
                    format: Cow::Owned(PartFormat::plain()),
                    value,
                }));
            }
            if fields.is_empty() && !is_present {
                return Ok(None);
            }
            written(body, fields).map(Some)
        }
    }
}

fn field<'a>(
    member: &'a BodyMember,
    is_present: bool,
    arguments: &mut Arguments,
) -> Result<Option<Field<'a>>, ArgumentError> {
    let value = arguments.take(&member.argument, member.kinds, is_present && member.is_required)?;
    Ok(value.map(|value| Field {
        name: Cow::Borrowed(&member.name),
        argument: Cow::Borrowed(&member.argument),
        format: Cow::Borrowed(&member.format),
        value,
    }))
}

fn whole(body: &Body, argument: &str, value: &RawJson) -> Result<RequestBody, ArgumentError> {
    let content_type = body.content_type.clone();
    Ok(match body.format {
        BodyFormat::Json => RequestBody { content_type, bytes: value.as_bytes().to_vec() },
        BodyFormat::Text => RequestBody { content_type, bytes: value::text(value).into_bytes() },
        BodyFormat::Bytes => {
            let content = file(argument, value)?;
            // A range of media types leaves the choice to the caller.
            let is_range = content_type.contains('*');
            let own = content.media_type.filter(|_| is_range);
            let content_type =
                own.unwrap_or(if is_range { "application/octet-stream".to_owned() } else { content_type });
            RequestBody { content_type, bytes: content.bytes }
        }
        BodyFormat::Form if !value.is_object() => {
            RequestBody { content_type, bytes: value::text(value).into_bytes() }
        }
        BodyFormat::Form | BodyFormat::Multipart => {
            let Some(members) = value::members(value) else {
                return Err(invalid(argument, value, "an object"));
            };
            let is_file = |value: &RawJson| {
                body.format == BodyFormat::Multipart && value::text(value).starts_with("data:")
            };
            let field = |(name, value): (&str, &RawJson)| Field {
                name: Cow::Owned(name.to_owned()),
                argument: Cow::Borrowed(argument),
                format: Cow::Owned(PartFormat { is_file: is_file(value), ..PartFormat::plain() }),
                value: value.clone(),
            };
            written(body, members.iter().map(field).collect())?
        }
    })
}

fn written(body: &Body, fields: Vec<Field<'_>>) -> Result<RequestBody, ArgumentError> {
    match body.format {
        BodyFormat::Form => {
            let pairs = fields.iter().flat_map(|field| form::pairs(&field.name, &field.value, &field.format));
            let bytes = pairs.collect::<Vec<_>>().join("&").into_bytes();
            Ok(RequestBody { content_type: body.content_type.clone(), bytes })
        }
        BodyFormat::Multipart => {
            let mut parts = Vec::new();
            for field in &fields {
                parts.extend(multipart::parts(&field.name, &field.argument, &field.value, &field.format)?);
            }
            let (content_type, bytes) = multipart::body(&parts);
            Ok(RequestBody { content_type, bytes })
        }
        BodyFormat::Json | BodyFormat::Text | BodyFormat::Bytes => {
            let mut object = RawObject::new();
            for field in fields {
                object.insert_named(&field.name, field.value);
            }
            let bytes = object.to_json().as_bytes().to_vec();
            Ok(RequestBody { content_type: body.content_type.clone(), bytes })
        }
    }
}
