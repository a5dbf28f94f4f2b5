//! The template of a path, such as `/users/{id}`.

use super::OmissionReason;

/// A path with places for arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathTemplate {
    pub(crate) segments: Vec<Vec<Piece>>,
    /// The fixed parts of the query, percent-encoded. OpenAPI does not define it, but documents have it to distinguish
    /// operations of one path.
    pub(crate) query: Vec<String>,
    /// The parameters that the path has in its query: their names in the query and in the document.
    pub(crate) query_parameters: Vec<(String, String)>,
}

/// A part of a segment of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A text, percent-encoded.
    Text(String),
    /// The place of the parameter with a name.
    Parameter(String),
}

impl PathTemplate {
    /// Reads a template, which begins with a slash.
    pub(crate) fn parse(path: &str) -> Result<Self, OmissionReason> {
        let refuse = |what: &str| Err(OmissionReason::Path(what.to_owned()));
        let Some(rest) = path.strip_prefix('/') else { return refuse("does not begin with `/`") };
        // A fragment is never sent. Documents have it to distinguish operations of one path.
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        if fragment.contains('/') {
            return refuse("has segments after `#`, which would not be sent");
        }
        let (rest, pairs) = rest.split_once('?').unwrap_or((rest, ""));
        let (mut query, mut query_parameters) = (Vec::new(), Vec::new());
        for pair in pairs.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) {
                Some(name)
                    if !key.is_empty()
                        && !name.is_empty()
                        && !format!("{key}{name}").contains(['{', '}']) =>
                {
                    query_parameters.push((key.to_owned(), name.to_owned()));
                }
                _ if pair.contains(['{', '}', '?']) => {
                    return refuse("has a query with a part that is neither fixed nor one parameter");
                }
                _ => query.push(literal(pair)),
            }
        }
        let mut segments = Vec::new();
        for segment in split(rest) {
            let Some(pieces) = pieces(segment) else {
                return refuse("has a brace without its counterpart");
            };
            segments.push(pieces);
        }
        let is_dots = |pieces: &Vec<Piece>| match pieces.as_slice() {
            [Piece::Text(text)] => [".", ".."].contains(&text.as_str()),
            _ => false,
        };
        if segments.iter().any(is_dots) {
            return refuse("has a segment `.` or `..`");
        }
        if segments.len() > 1 && segments.first().is_some_and(Vec::is_empty) {
            return refuse("begins with `//`, which would be a host");
        }
        Ok(Self { segments, query, query_parameters })
    }

    /// Returns the names of the parameters, in the order of the path.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flatten().filter_map(|piece| match piece {
            Piece::Parameter(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }
}

/// Splits a path at its slashes, those inside of braces excepted.
fn split(path: &str) -> Vec<&str> {
    let (mut segments, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'/' if depth == 0 => {
                segments.push(path.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    segments.push(path.get(start..).unwrap_or_default());
    segments
}

fn pieces(segment: &str) -> Option<Vec<Piece>> {
    let (mut pieces, mut rest) = (Vec::new(), segment);
    while !rest.is_empty() {
        let Some((before, after)) = rest.split_once('{') else {
            if rest.contains('}') {
                return None;
            }
            pieces.push(Piece::Text(literal(rest)));
            break;
        };
        let (name, after) = after.split_once('}')?;
        if name.is_empty() || name.contains('{') || before.contains('}') {
            return None;
        }
        if !before.is_empty() {
            pieces.push(Piece::Text(literal(before)));
        }
        pieces.push(Piece::Parameter(name.to_owned()));
        rest = after;
    }
    Some(pieces)
}

/// Returns a literal part of a path with the characters encoded that a path cannot have. Encoded characters stay.
fn literal(text: &str) -> String {
    use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
    const NOT_IN_PATHS: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'|')
        .add(b'[')
        .add(b']');
    utf8_percent_encode(text, NOT_IN_PATHS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_into_segments_and_pieces() {
        let template = PathTemplate::parse("/a b/{id}.{ext}/x").unwrap();
        let text = |text: &str| Piece::Text(text.to_owned());
        let parameter = |name: &str| Piece::Parameter(name.to_owned());
        let expected =
            vec![vec![text("a%20b")], vec![parameter("id"), text("."), parameter("ext")], vec![text("x")]];
        assert_eq!(template.segments, expected);
        assert_eq!(template.parameters().collect::<Vec<_>>(), ["id", "ext"]);
        assert_eq!(PathTemplate::parse("/").unwrap().segments, [vec![]]);
        assert_eq!(PathTemplate::parse("/a/{b/c}").unwrap().segments.len(), 2);
    }

    #[test]
    fn a_fixed_query_is_kept_and_a_fragment_is_not() {
        let template = PathTemplate::parse("/a?beta=true&x=a b&lat={y}#part").unwrap();
        assert_eq!(
            (template.segments.len(), template.query),
            (1, vec!["beta=true".to_owned(), "x=a%20b".to_owned()])
        );
        assert_eq!(template.query_parameters, [("lat".to_owned(), "y".to_owned())]);
        let plain = PathTemplate::parse("/a?").unwrap();
        assert!(plain.query.is_empty() && plain.query_parameters.is_empty());
    }

    #[test]
    fn paths_that_could_lead_elsewhere_are_refused() {
        for path in [
            "a",
            "",
            "//host/a",
            "/a/../b",
            "/a?b=x{c}",
            "/a?b={c",
            "//#x",
            "/a/#b/c",
            "/{a",
            "/a}",
            "/{}",
            "/{a{b}}",
            "/./a",
        ] {
            assert!(PathTemplate::parse(path).is_err(), "{path}");
        }
    }
}
