//! The query of a request.

use super::{
    ArgumentError,
    arguments::Arguments,
    encode::{encoded, reserved},
    style::joined,
    value::{Parts, items, members, text},
};
use crate::operation::{Location, Operation, ParameterFormat, Serialization, Style};
use mgp_types::json::RawJson;

/// Returns the parameters of a query, without the question mark.
pub(super) fn query(operation: &Operation, arguments: &mut Arguments) -> Result<String, ArgumentError> {
    let mut parts: Vec<String> = operation.template.query.clone();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.location == Location::Query) {
        let value = arguments.take(&parameter.argument, parameter.kinds, parameter.is_required)?;
        let Some(value) = value else { continue };
        match parameter.format {
            ParameterFormat::Json => {
                parts.push(format!("{}={}", encoded(&parameter.name), encoded(value.as_str())));
            }
            ParameterFormat::Styled(form) => parts.extend(written(&parameter.name, &value, form)),
        }
    }
    Ok(parts.join("&"))
}

/// Returns the pairs `name=value` of a value in a query or a form. An empty list has no pairs.
pub(super) fn written(name: &str, value: &RawJson, form: Serialization) -> Vec<String> {
    let encode = if form.allows_reserved { reserved } else { encoded };
    let pair = |name: &str, value: &str| format!("{}={}", encoded(name), encode(value));
    let delimited = |parts: &Parts, delimiter: &str| {
        // A delimiter in a value stays different from one between values.
        vec![format!("{}={}", encoded(name), joined(parts, false, delimiter, encoded))]
    };
    match (Parts::of(value), form.style) {
        (Parts::Scalar(text), _) => vec![pair(name, &text)],
        (Parts::List(items), _) if items.is_empty() => Vec::new(),
        (Parts::Map(members), _) if members.is_empty() => Vec::new(),
        (_, Style::DeepObject) => {
            let mut pairs = Vec::new();
            deep(name, value, &mut |name, value| pairs.push(pair(name, value)));
            pairs
        }
        (Parts::List(items), _) if form.explodes => items.iter().map(|item| pair(name, item)).collect(),
        (Parts::Map(members), _) if form.explodes => {
            members.iter().map(|(name, value)| pair(name, value)).collect()
        }
        (parts, Style::SpaceDelimited) => delimited(&parts, "%20"),
        (parts, Style::PipeDelimited) => delimited(&parts, "%7C"),
        (parts, _) => delimited(&parts, ","),
    }
}

/// Writes a value in the style `deepObject`. OpenAPI does not define nested values: members are in brackets, and items
/// by their index, which PHP, Rails, `qs` and Stripe read.
fn deep(name: &str, value: &RawJson, add: &mut impl FnMut(&str, &str)) {
    if let Some(items) = items(value) {
        for (index, item) in items.iter().enumerate() {
            deep(&format!("{name}[{index}]"), item, add);
        }
    } else if let Some(members) = members(value) {
        for (member, value) in members.iter() {
            deep(&format!("{name}[{member}]"), value, add);
        }
    } else {
        add(name, &text(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of examples of OpenAPI 3.1, section 4.8.12.4, for queries.
    #[test]
    fn styles_of_queries_are_those_of_the_specification() {
        let list = r#"["blue","black","brown"]"#;
        let object = r#"{"R":100,"G":200,"B":150}"#;
        for (style, explodes, value, expected) in [
            (Style::Form, false, "\"\"", "color="),
            (Style::Form, false, "\"blue\"", "color=blue"),
            (Style::Form, false, list, "color=blue,black,brown"),
            (Style::Form, false, object, "color=R,100,G,200,B,150"),
            (Style::Form, true, list, "color=blue&color=black&color=brown"),
            (Style::Form, true, object, "R=100&G=200&B=150"),
            (Style::SpaceDelimited, false, list, "color=blue%20black%20brown"),
            (Style::SpaceDelimited, false, object, "color=R%20100%20G%20200%20B%20150"),
            (Style::PipeDelimited, false, list, "color=blue%7Cblack%7Cbrown"),
            (Style::PipeDelimited, true, list, "color=blue&color=black&color=brown"),
            (Style::PipeDelimited, false, object, "color=R%7C100%7CG%7C200%7CB%7C150"),
            (Style::DeepObject, true, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
            (
                Style::DeepObject,
                true,
                r#"{"a":{"b":[1,2]}}"#,
                "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2",
            ),
            (Style::Form, true, "[]", ""),
            (Style::Form, true, "[null]", ""),
            (Style::Form, false, r#"["a,b","&c="]"#, "color=a%2Cb,%26c%3D"),
        ] {
            let form = Serialization { style, explodes, allows_reserved: false };
            let pairs = written("color", &RawJson::parse(value).unwrap(), form);
            assert_eq!(pairs.join("&"), expected, "{style:?} {value}");
        }
    }

    #[test]
    fn reserved_characters_stay_if_they_are_allowed() {
        let form = Serialization { style: Style::Form, explodes: true, allows_reserved: true };
        let pairs = written("q", &RawJson::parse(r#""a/b?c&d=e#f""#).unwrap(), form);
        assert_eq!(pairs, ["q=a/b?c%26d%3De%23f"]);
    }
}
