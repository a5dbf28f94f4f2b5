//! The path of a request, which always has the segments of its template.

use super::{
    ArgumentError,
    arguments::{Arguments, invalid},
    encode::encoded,
    style::single,
    value::Parts,
};
use crate::operation::{Location, Operation, Parameter, ParameterFormat, Piece, Style};
use mgp_types::json::RawJson;
use std::collections::HashMap;

/// Returns the path of a request.
pub(super) fn path(operation: &Operation, arguments: &mut Arguments) -> Result<String, ArgumentError> {
    let mut values = HashMap::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.location == Location::Path) {
        let Some(value) = arguments.take(&parameter.argument, parameter.kinds, true)? else { continue };
        values.insert(parameter.name.as_str(), (parameter, written(parameter, &value), value));
    }
    let mut path = String::new();
    for segment in &operation.template.segments {
        path.push('/');
        let start = path.len();
        let mut last = None;
        for piece in segment {
            match piece {
                Piece::Text(text) => path.push_str(text),
                Piece::Parameter(name) => {
                    if let Some((parameter, text, value)) = values.get(name.as_str()) {
                        path.push_str(text);
                        last = Some((*parameter, value));
                    }
                }
            }
        }
        // Clients and servers drop segments of dots, and merge slashes.
        let is_lost = matches!(path.get(start..), Some("" | "." | ".."));
        if let (true, Some((parameter, value))) = (is_lost, last) {
            let expected = "a text that is a segment of a path: not empty, `.` or `..`";
            return Err(invalid(&parameter.argument, value, expected));
        }
    }
    Ok(path)
}

fn written(parameter: &Parameter, value: &RawJson) -> String {
    match parameter.format {
        ParameterFormat::Json => encoded(value.as_str()),
        ParameterFormat::Styled(form) => {
            let style = if form.style == Style::Form { Style::Simple } else { form.style };
            single(&parameter.name, &Parts::of(value), style, form.explodes, encoded)
        }
    }
}
