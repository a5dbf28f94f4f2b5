//! The targets of links between pages, which never leave the API.

use crate::request::query_text;
use percent_encoding::percent_decode_str;
use url::Url;

/// Returns the path and query of a link, without the path of the base URL. `None` if the link leaves the base URL.
pub(super) fn resolved(base_url: &str, path_and_query: &str, link: &str) -> Option<String> {
    let base_url = base_url.trim_end_matches('/');
    let base = Url::parse(base_url).ok()?;
    let current = Url::parse(&format!("{base_url}{path_and_query}")).ok()?;
    let target = current.join(link).ok()?;
    let is_same = target.origin().is_tuple()
        && target.origin() == base.origin()
        && target.username().is_empty()
        && target.password().is_none();
    let path = target.path().strip_prefix(base.path().trim_end_matches('/')).filter(|_| is_same)?;
    if !path.starts_with('/') || path.starts_with("//") || has_hidden_dots(path) {
        return None;
    }
    Some(target.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

/// Returns whether a server that decodes a path could find a segment of dots in it.
fn has_hidden_dots(path: &str) -> bool {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    decoded.split(['/', '\\']).any(|segment| matches!(segment, "." | ".."))
}

/// Returns the value of a parameter of a query.
pub(super) fn query_value(path_and_query: &str, name: &str) -> Option<String> {
    let (_, query) = path_and_query.split_once('?')?;
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    pairs.filter(|(key, _)| decoded(key) == name).map(|(_, value)| decoded(value)).next()
}

/// Returns a path and query with a parameter set, instead of its earlier values.
pub(super) fn with_query(path_and_query: &str, name: &str, value: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let is_other = |pair: &&str| {
        let key = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && percent_decode_str(key).decode_utf8_lossy() != name
    };
    let mut pairs: Vec<String> = query.split('&').filter(is_other).map(str::to_owned).collect();
    pairs.push(query_text(name, value));
    format!("{path}?{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_replaced_and_others_stay() {
        assert_eq!(with_query("/a", "p", "x y"), "/a?p=x%20y");
        assert_eq!(with_query("/a?p=1&q=2&p=3", "p", "4"), "/a?q=2&p=4");
        assert_eq!(with_query("/a?f%5Bp%5D=1", "f[p]", "2"), "/a?f%5Bp%5D=2");
        assert_eq!(query_value("/a?f%5Bp%5D=1%202", "f[p]").as_deref(), Some("1 2"));
    }

    #[test]
    fn encoded_dots_do_not_leave_the_base_path() {
        let resolve = |link| resolved("https://a.example/v1/", "/x", link);
        assert_eq!(resolve("/v1/%2e%2e/v2"), None);
        assert_eq!(resolve("/v1/a%2f..%2f..%2fv2"), None);
        assert_eq!(resolve("/v1/a%2Fb?x=..").as_deref(), Some("/a%2Fb?x=.."));
        assert_eq!(resolved("not a url", "/x", "/v1/a"), None);
    }
}
