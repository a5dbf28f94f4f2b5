//! The styles of OpenAPI that write a value as one text: simple, label and matrix, and the delimited ones of queries.

use super::value::Parts;
use crate::operation::Style;

/// Returns the value of a parameter in a path or a header. `encode` makes names and values safe, and never leaves a delimiter.
pub(super) fn single(
    name: &str,
    parts: &Parts,
    style: Style,
    explodes: bool,
    encode: impl Fn(&str) -> String,
) -> String {
    let pairs = |pairs: &[(String, String)], between: &str| {
        pairs
            .iter()
            .map(|(name, value)| format!("{}{between}{}", encode(name), encode(value)))
            .collect::<Vec<_>>()
    };
    let list = |items: &[String]| items.iter().map(|item| encode(item)).collect::<Vec<_>>();
    let name = encode(name);
    match style {
        Style::Label => {
            let texts = match parts {
                Parts::Scalar(text) => vec![encode(text)],
                Parts::List(items) => list(items),
                Parts::Map(members) => pairs(members, if explodes { "=" } else { "," }),
            };
            format!(".{}", texts.join(if explodes { "." } else { "," }))
        }
        Style::Matrix => match parts {
            Parts::Scalar(text) if text.is_empty() => format!(";{name}"),
            Parts::Scalar(text) => format!(";{name}={}", encode(text)),
            Parts::List(items) if explodes => {
                list(items).iter().map(|item| format!(";{name}={item}")).collect()
            }
            Parts::List(items) => format!(";{name}={}", list(items).join(",")),
            Parts::Map(members) if explodes => {
                pairs(members, "=").iter().map(|pair| format!(";{pair}")).collect()
            }
            Parts::Map(members) => format!(";{name}={}", pairs(members, ",").join(",")),
        },
        _ => joined(parts, explodes, ",", encode),
    }
}

/// Returns the items of a list, or the names and values of an object, with a delimiter between them.
pub(super) fn joined(
    parts: &Parts,
    explodes: bool,
    delimiter: &str,
    encode: impl Fn(&str) -> String,
) -> String {
    match parts {
        Parts::Scalar(text) => encode(text),
        Parts::List(items) => items.iter().map(|item| encode(item)).collect::<Vec<_>>().join(delimiter),
        Parts::Map(members) => {
            let between = if explodes { "=" } else { delimiter };
            let pairs =
                members.iter().map(|(name, value)| format!("{}{between}{}", encode(name), encode(value)));
            pairs.collect::<Vec<_>>().join(delimiter)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::encode::encoded;
    use mgp_types::json::RawJson;

    /// The table of examples of OpenAPI 3.1, section 4.8.12.4, for paths and headers.
    #[test]
    fn styles_of_paths_are_those_of_the_specification() {
        let list = r#"["blue","black","brown"]"#;
        let object = r#"{"R":100,"G":200,"B":150}"#;
        for (style, explodes, value, expected) in [
            (Style::Matrix, false, "\"\"", ";color"),
            (Style::Matrix, false, "\"blue\"", ";color=blue"),
            (Style::Matrix, false, list, ";color=blue,black,brown"),
            (Style::Matrix, false, object, ";color=R,100,G,200,B,150"),
            (Style::Matrix, true, list, ";color=blue;color=black;color=brown"),
            (Style::Matrix, true, object, ";R=100;G=200;B=150"),
            (Style::Label, false, "\"\"", "."),
            (Style::Label, false, "\"blue\"", ".blue"),
            (Style::Label, false, list, ".blue,black,brown"),
            (Style::Label, false, object, ".R,100,G,200,B,150"),
            (Style::Label, true, list, ".blue.black.brown"),
            (Style::Label, true, object, ".R=100.G=200.B=150"),
            (Style::Simple, false, "\"blue\"", "blue"),
            (Style::Simple, false, list, "blue,black,brown"),
            (Style::Simple, false, object, "R,100,G,200,B,150"),
            (Style::Simple, true, list, "blue,black,brown"),
            (Style::Simple, true, object, "R=100,G=200,B=150"),
            (Style::Simple, false, r#"["a,b","/"]"#, "a%2Cb,%2F"),
            (Style::Matrix, true, r#"{"a;b":"=;"}"#, ";a%3Bb=%3D%3B"),
        ] {
            let parts = Parts::of(&RawJson::parse(value).unwrap());
            assert_eq!(single("color", &parts, style, explodes, encoded), expected, "{style:?} {value}");
        }
    }
}
