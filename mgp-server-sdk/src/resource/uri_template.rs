//! URI templates of RFC 6570, level 1: `{name}` and nothing more.

/// A template that URIs are matched against, in time linear in their length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UriTemplate {
    /// The text before the first variable.
    start: String,
    /// Each variable with the text after it.
    variables: Vec<(String, String)>,
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
                return Err(format!("the variable {name:?} stands in it twice"));
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
        // With something in the place of each variable it must be a URI.
        let example =
            template.variables.iter().fold(template.start.clone(), |uri, (_, after)| uri + "x" + after);
        super::uri::problem(&example).map_or(Ok(template), Err)
    }

    /// The names of the variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }

    /// The variables of a URI that follows the template.
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

/// Undoes percent-encoding; `None` for what is none or no UTF-8.
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
    fn a_uri_that_follows_the_template_gives_its_variables() {
        for (template, uri, expected) in [
            ("note://{id}", "note://7", "id=7"),
            ("repo://{owner}/{name}/readme", "repo://a/b/readme", "owner=a name=b"),
            ("x://{a}-{b}", "x://1-2-3", "a=1 b=2-3"),
            ("x://{a}", "x://%C3%A4%2Fb", "a=ä/b"),
            ("x://{a}.json", "x://a.json.json", "a=a.json"),
        ] {
            assert_eq!(check(template, uri).as_deref(), Some(expected), "{template} {uri}");
        }
    }

    #[test]
    fn a_uri_that_does_not_follow_it_gives_none() {
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
            ("x://{a}{b}", "no text between \"b\" and the variable before it"),
            ("x://{a}/{a}", "the variable \"a\" stands in it twice"),
        ] {
            let error = UriTemplate::parse(template).unwrap_err();
            assert!(error.contains(problem), "{template}: {error}");
        }
    }
}
