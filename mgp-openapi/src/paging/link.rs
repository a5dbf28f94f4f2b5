//! The header `Link` (RFC 8288).

/// Returns the target of the first link whose relation is `next`.
pub(super) fn next_link(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        let (parameters, end) = parameters(after);
        let is_next =
            parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case("rel")).is_some_and(|(_, value)| {
                value.split_ascii_whitespace().any(|relation| relation.eq_ignore_ascii_case("next"))
            });
        if is_next {
            return Some(target.trim().to_owned());
        }
        rest = after.get(end..).unwrap_or_default();
    }
    None
}

/// Returns the parameters of a link, and the offset at which they end: that of the comma before the next link.
fn parameters(text: &str) -> (Vec<(&str, String)>, usize) {
    let (mut parameters, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let trimmed = rest.trim_start_matches([' ', '\t', ';']);
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with(',') {
            break;
        }
        let length = trimmed.find(['=', ';', ',']).unwrap_or(trimmed.len());
        let name = trimmed.get(..length).unwrap_or_default().trim();
        at += length;
        let Some(value) = trimmed.get(length..).and_then(|rest| rest.strip_prefix('=')) else { continue };
        let (value, used) = value_of(value);
        at += 1 + used;
        parameters.push((name, value));
    }
    (parameters, at)
}

/// Returns a value, quoted or not, and its length in the text.
fn value_of(text: &str) -> (String, usize) {
    let Some(quoted) = text.strip_prefix('"') else {
        let length = text.find([';', ',']).unwrap_or(text.len());
        return (text.get(..length).unwrap_or_default().trim().to_owned(), length);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            _ if is_escaped => {
                value.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            '"' => return (value, at + 2),
            c => value.push(c),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_next_link_is_found() {
        for (header, expected) in [
            ("<a>; rel=next", Some("a")),
            ("<a>;rel=\"next\"", Some("a")),
            ("<a>; rel=\"prev\", <b>; rel=\"next\"", Some("b")),
            ("<a>; title=\"x, <y>; rel=next\", <b,c>; rel=\"next\"", Some("b,c")),
            ("<a>; title=\"\\\"\"; rel=next", Some("a")),
            ("<a>", None),
            ("<a", None),
            ("", None),
            ("<a>; rel", None),
            ("<a>; rel=\"ne", None),
            ("<a>; =;;,, <b>; rel=next", Some("b")),
        ] {
            assert_eq!(next_link(header).as_deref(), expected, "{header}");
        }
    }
}
