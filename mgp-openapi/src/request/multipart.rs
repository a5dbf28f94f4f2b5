//! Bodies of the type `multipart/form-data` (RFC 7578).

use super::{ArgumentError, file::file, value};
use crate::operation::{PartFormat, is_json};
use mgp_types::json::RawJson;

/// A part of a body.
#[derive(Debug)]
pub(super) struct Part {
    name: String,
    file_name: Option<String>,
    content_type: Option<String>,
    bytes: Vec<u8>,
}

/// Returns the parts that a member becomes.
pub(super) fn parts(
    name: &str,
    argument: &str,
    value: &RawJson,
    format: &PartFormat,
) -> Result<Vec<Part>, ArgumentError> {
    // A list in one part of JSON, or a part for each item.
    let is_one = !format.is_file && format.content_type.as_deref().is_some_and(is_json);
    let items = value::items(value).filter(|_| !is_one).unwrap_or_else(|| vec![value.clone()]);
    let part = |item: &RawJson| {
        if format.is_file {
            let content = file(argument, item)?;
            let content_type = content.media_type.or_else(|| format.content_type.clone());
            return Ok(Part {
                name: name.to_owned(),
                file_name: Some(name.to_owned()),
                content_type: Some(content_type.unwrap_or_else(|| "application/octet-stream".to_owned())),
                bytes: content.bytes,
            });
        }
        let json_type = (item.is_object() || item.is_array()).then(|| "application/json".to_owned());
        Ok(Part {
            name: name.to_owned(),
            file_name: None,
            content_type: format.content_type.clone().or(json_type),
            bytes: value::text(item).into_bytes(),
        })
    };
    items.iter().filter(|item| !item.is_null()).map(part).collect()
}

/// Returns the media type and the bytes of a body.
pub(super) fn body(parts: &[Part]) -> (String, Vec<u8>) {
    let boundary = boundary(parts);
    let mut bytes = Vec::new();
    for part in parts {
        let mut head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name));
        if let Some(name) = &part.file_name {
            head.push_str(&format!("; filename=\"{}\"", quoted(name)));
        }
        if let Some(content_type) = &part.content_type {
            head.push_str(&format!("\r\nContent-Type: {content_type}"));
        }
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes.extend_from_slice(&part.bytes);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), bytes)
}

/// Returns a boundary that no part contains. It does not depend on chance, so that equal calls make equal requests.
fn boundary(parts: &[Part]) -> String {
    let contains = |text: &str| {
        parts.iter().any(|part| part.bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    let mut boundary = "mgp-openapi-boundary-0".to_owned();
    for number in 1_u32.. {
        if !contains(&boundary) {
            break;
        }
        boundary = format!("mgp-openapi-boundary-{number}");
    }
    boundary
}

/// Returns a name for a quoted text, with the characters encoded that would end it.
fn quoted(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '"' => quoted.push_str("%22"),
            '\\' => quoted.push_str("%5C"),
            c if c.is_control() => quoted.push_str(&format!("%{:02X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &str, format: &PartFormat) -> String {
        let parts = parts("a\"\r\nb", "a", &RawJson::parse(value.to_owned()).unwrap(), format).unwrap();
        String::from_utf8(body(&parts).1).unwrap()
    }

    #[test]
    fn a_value_becomes_a_part_and_its_name_stays_in_quotes() {
        let expected = "--mgp-openapi-boundary-0\r\nContent-Disposition: form-data; name=\"a%22%0D%0Ab\"\r\n\r\nx\r\n\
                        --mgp-openapi-boundary-0--\r\n";
        assert_eq!(written("\"x\"", &PartFormat::plain()), expected);
        assert!(
            written("{\"x\":1}", &PartFormat::plain())
                .contains("Content-Type: application/json\r\n\r\n{\"x\":1}")
        );
    }

    #[test]
    fn a_file_has_a_name_and_a_media_type() {
        let format = PartFormat { is_file: true, ..PartFormat::plain() };
        let text = written("[\"aGk=\", \"data:text/csv;base64,aGk=\"]", &format);
        assert!(
            text.contains("filename=\"a%22%0D%0Ab\"\r\nContent-Type: application/octet-stream\r\n\r\nhi\r\n")
        );
        assert!(text.contains("Content-Type: text/csv\r\n\r\nhi\r\n"));
    }

    #[test]
    fn no_part_contains_the_boundary() {
        let text = written("\"mgp-openapi-boundary-0 mgp-openapi-boundary-1\"", &PartFormat::plain());
        assert!(text.starts_with("--mgp-openapi-boundary-2\r\n"));
    }
}
