//! The headers and cookies of a request.

use super::{
    ArgumentError,
    arguments::{Arguments, invalid},
    encode::encoded,
    style::{joined, single},
    value::Parts,
};
use crate::operation::{Location, Operation, Parameter, ParameterFormat, Style};
use mgp_types::json::RawJson;

/// Returns the headers of a request, without those of its body.
pub(super) fn headers(
    operation: &Operation,
    arguments: &mut Arguments,
) -> Result<Vec<(String, String)>, ArgumentError> {
    let mut headers = Vec::new();
    if let Some(accept) = &operation.accept {
        headers.push(("accept".to_owned(), accept.clone()));
    }
    let mut cookies = Vec::new();
    for parameter in &operation.parameters {
        if !matches!(parameter.location, Location::Header | Location::Cookie) {
            continue;
        }
        let value = arguments.take(&parameter.argument, parameter.kinds, parameter.is_required)?;
        let Some(value) = value else { continue };
        if parameter.location == Location::Header {
            headers.push((parameter.name.clone(), header(parameter, &value)?));
        } else {
            cookies.extend(pairs(parameter, &value));
        }
    }
    if !cookies.is_empty() {
        headers.push(("cookie".to_owned(), cookies.join("; ")));
    }
    Ok(headers)
}

fn header(parameter: &Parameter, value: &RawJson) -> Result<String, ArgumentError> {
    let text = match parameter.format {
        ParameterFormat::Json => value.as_str().to_owned(),
        ParameterFormat::Styled(form) => {
            single(&parameter.name, &Parts::of(value), Style::Simple, form.explodes, str::to_owned)
        }
    };
    let is_safe = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_safe && text.trim() == text {
        return Ok(text);
    }
    let expected = "visible ASCII characters, without line breaks and surrounding spaces, as in a header";
    Err(invalid(&parameter.argument, value, expected))
}

/// Returns the cookies of a parameter. Values are percent-encoded, since a cookie cannot have every character.
fn pairs(parameter: &Parameter, value: &RawJson) -> Vec<String> {
    let name = &parameter.name;
    let form = match parameter.format {
        ParameterFormat::Json => return vec![format!("{name}={}", encoded(value.as_str()))],
        ParameterFormat::Styled(form) => form,
    };
    match Parts::of(value) {
        Parts::List(items) if form.explodes => {
            items.iter().map(|item| format!("{name}={}", encoded(item))).collect()
        }
        Parts::Map(members) if form.explodes => {
            members.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect()
        }
        parts => vec![format!("{name}={}", joined(&parts, false, ",", encoded))],
    }
}
