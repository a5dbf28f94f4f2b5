//! URI templates of RFC 6570, level 1: only `{name}`.

use super::uri::{self, NoUri};

/// A template that URIs are matched against, in time linear in their length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UriTemplate {
    /// The text before the first variable.
    start: String,
    /// Each variable with the text after it.
    variables: Vec<(String, String)>,
}

/// A part of a template.
enum Part<'a> {
    /// The variable with this index.
    Variable(usize),
    /// The text from here to the next variable.
    Text(&'a str),
}

impl UriTemplate {
    /// Reads a template.
    pub(crate) fn parse(template: &str) -> Result<Self, String> {
        let mut parts = template.split('{');
        let start = parts.next().unwrap_or_default().to_owned();
        let mut variables: Vec<(String, String)> = Vec::new();
        if start.contains('}') {
            return Err("a `}` without its `{`".into());
        }
        for part in parts {
            let (name, after) = part.split_once('}').ok_or("a `{` without its `}`")?;
            if after.contains('}') {
                return Err("a `}` without its `{`".into());
            }
            check_name(name)?;
            if variables.iter().any(|(other, _)| other == name) {
                return Err(format!("the variable {name:?} occurs twice"));
            }
            if variables.last().is_some_and(|(_, text)| text.is_empty()) {
                return Err(format!("no text between {name:?} and the variable before it"));
            }
            variables.push((name.to_owned(), after.to_owned()));
        }
        if variables.is_empty() {
            return Err("expected at least one variable, such as {id}".into());
        }
        let template = Self { start, variables };
        template.check_uris().map(|()| template)
    }

    /// Checks that the template is a URI once each variable is replaced: by a letter, or by a digit where only a digit is valid,
    /// as in a port.
    fn check_uris(&self) -> Result<(), String> {
        let mut values = vec!["x"; self.variables.len()];
        loop {
            let filled = values.iter().zip(&self.variables);
            let uri = filled.fold(self.start.clone(), |uri, (value, (_, after))| uri + value + after);
            let Some(NoUri { problem, at }) = uri::parse(&uri).err() else { return Ok(()) };
            let Some(at) = at else { return Err(problem) };
            match self.part(at) {
                Part::Variable(place) if values[place] == "x" => values[place] = "1",
                Part::Variable(place) => {
                    return Err(format!("{problem} at the variable {:?}", self.variables[place].0));
                }
                Part::Text("") => return Err(format!("{problem} at its end")),
                Part::Text(text) => return Err(format!("{problem} at {text:?}")),
            }
        }
    }

    /// Returns the part of the template at a byte of a URI whose variables are one byte each.
    fn part(&self, at: usize) -> Part<'_> {
        let (mut text, mut start) = (self.start.as_str(), 0);
        for (place, (_, after)) in self.variables.iter().enumerate() {
            let end = start + text.len();
            if at < end {
                break;
            }
            if at == end {
                return Part::Variable(place);
            }
            (text, start) = (after, end + 1);
        }
        Part::Text(text.get(at - start..).unwrap_or_default())
    }

    /// Returns the names of the variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the variables of a URI; `None` if it does not follow the template.
    pub(crate) fn matches(&self, uri: &str) -> Option<Vec<(String, String)>> {
        let mut rest = uri.strip_prefix(self.start.as_str())?;
        let mut values = Vec::with_capacity(self.variables.len());
        for (place, (name, after)) in self.variables.iter().enumerate() {
            let last = place + 1 == self.variables.len();
            let (value, left) = if last {
                (rest.strip_suffix(after.as_str())?, "")
            } else {
                rest.split_once(after.as_str())?
            };
            if value.is_empty() || value.contains('/') {
                return None;
            }
            values.push((name.clone(), percent_decoded(value)?));
            rest = left;
        }
        Some(values)
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    if fits {
        return Ok(());
    }
    Err(format!("invalid variable {name:?}: expected letters, digits, `_` and `.`, and no operator"))
}

/// Decodes percent-encoding; `None` if the encoding is invalid or the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let digit = |b: Option<u8>| char::from(b?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => digit(bytes.next())? << 4 | digit(bytes.next())?,
            other => other,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, uri: &str) -> Option<String> {
        let values = UriTemplate::parse(template).unwrap().matches(uri)?;
        let pairs: Vec<_> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(pairs.join(" "))
    }

    #[test]
    fn a_matching_uri_yields_its_variables() {
        for (template, uri, expected) in [
            ("note://{id}", "note://7", "id=7"),
            ("repo://{owner}/{name}/readme", "repo://a/b/readme", "owner=a name=b"),
            ("x://{a}-{b}", "x://1-2-3", "a=1 b=2-3"),
            ("x://{a}", "x://%C3%A4%2Fb", "a=ä/b"),
            ("x://{a}.json", "x://a.json.json", "a=a.json"),
            ("http://localhost:{port}/x", "http://localhost:8080/x", "port=8080"),
            ("{scheme}://{host}:{port}/x", "http://localhost:80/x", "scheme=http host=localhost port=80"),
        ] {
            assert_eq!(check(template, uri).as_deref(), Some(expected), "{template} {uri}");
        }
    }

    #[test]
    fn a_uri_that_does_not_match_yields_none() {
        for (template, uri) in [
            ("note://{id}", "note://"),
            ("note://{id}", "note://a/b"),
            ("note://{id}", "notes://a"),
            ("x://{a}/end", "x://a/other"),
            ("x://{a}/{b}", "x://a"),
            ("x://{a}", "x://%"),
            ("x://{a}", "x://%ff"),
            ("x://{a}", "x://%+1"),
        ] {
            assert_eq!(check(template, uri), None, "{template} {uri}");
        }
    }

    #[test]
    fn a_template_that_cannot_be_matched_is_refused_with_the_reason() {
        for (template, problem) in [
            ("note://", "expected at least one variable"),
            ("x://{a", "a `{` without its `}`"),
            ("x://a}", "a `}` without its `{`"),
            ("x://{a}}", "a `}` without its `{`"),
            ("x://{+a}", "invalid variable \"+a\""),
            ("x://{}", "invalid variable \"\""),
            ("note {a}", "expected a scheme"),
            ("x://{a}/ b", "unexpected character"),
            ("x://{a}/ b", "unexpected character at \" b\""),
            ("http://local host/{a}", "unexpected character at \" host/\""),
            ("http://{a}:{port}x/", "unexpected character at \"x/\""),
            ("x://{a}/%", "invalid percent-encoded octet at \"%\""),
            ("x://[{a}]/", "invalid IPv6 address at"),
            ("x://{a}{b}", "no text between \"b\" and the variable before it"),
            ("x://{a}/{a}", "the variable \"a\" occurs twice"),
        ] {
            let error = UriTemplate::parse(template).unwrap_err();
            assert!(error.contains(problem), "{template}: {error}");
        }
    }
}
