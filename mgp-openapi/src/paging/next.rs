//! The request of the next page.

use super::{
    body::{Continuation, continuation},
    link::next_link,
    target::{query_value, resolved, with_query},
};
use crate::{
    operation::{Location, Method, Operation},
    request::ApiRequest,
};
use serde_json::Value;

/// A response, as far as it decides about the next page.
#[derive(Debug, Clone, Copy)]
pub struct ApiResponse<'a> {
    /// The status.
    pub status: u16,
    /// The values of the headers `Link`.
    pub links: &'a [&'a str],
    /// The body.
    pub body: &'a [u8],
}

impl Operation {
    /// Returns the request of the page after a response: that of a `Link` with `rel="next"`, or of a link or cursor in the
    /// body. The caller bounds the number of pages.
    ///
    /// Only a GET has pages. A link that leaves the origin or the path of `base_url` is ignored, and so is a cursor for
    /// which the operation does not have a parameter.
    ///
    /// ```
    /// use mgp_openapi::{Document, ApiResponse, Selection};
    /// use mgp_types::json::RawJson;
    ///
    /// let document = Document::parse("{openapi: 3.1.0, paths: {/users: {get: {}}}}")?;
    /// let (operations, _) = document.operations(&Selection::default());
    /// let request = operations[0].request(&RawJson::empty_object())?;
    ///
    /// let links = [r#"<https://api.example.com/v1/users?page=2>; rel="next""#];
    /// let response = ApiResponse { status: 200, links: &links, body: b"[]" };
    /// let next = operations[0].next_page("https://api.example.com/v1", &request, response).unwrap();
    /// assert_eq!(next.path_and_query, "/users?page=2");
    ///
    /// let elsewhere = operations[0].next_page("https://example.org/v1", &request, response);
    /// assert_eq!(elsewhere, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn next_page(
        &self,
        base_url: &str,
        request: &ApiRequest,
        response: ApiResponse<'_>,
    ) -> Option<ApiRequest> {
        if request.method != Method::Get || !(200..300).contains(&response.status) {
            return None;
        }
        let follow = |link: &str| {
            let path_and_query = resolved(base_url, &request.path_and_query, link)?;
            let is_new = path_and_query != request.path_and_query;
            is_new.then(|| ApiRequest { path_and_query, ..request.clone() })
        };
        if let Some(link) = response.links.iter().find_map(|header| next_link(header)) {
            return follow(&link);
        }
        let body: Value = serde_json::from_slice(response.body).ok()?;
        match continuation(&body)? {
            Continuation::Link(link) => follow(&link),
            Continuation::Cursor { value, parameters } => {
                let name = parameters.iter().find_map(|name| self.query_parameter(name))?;
                // An API that repeats a cursor would never end.
                if query_value(&request.path_and_query, name).as_deref() == Some(value.as_str()) {
                    return None;
                }
                let path_and_query = with_query(&request.path_and_query, name, &value);
                Some(ApiRequest { path_and_query, ..request.clone() })
            }
        }
    }

    /// Returns the name of the query parameter with a name, whatever its case.
    fn query_parameter(&self, name: &str) -> Option<&str> {
        let mut queries = self.parameters.iter().filter(|parameter| parameter.location == Location::Query);
        let found = queries.find(|parameter| parameter.name.eq_ignore_ascii_case(name));
        found.map(|parameter| parameter.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Selection};
    use mgp_types::json::RawJson;

    const BASE: &str = "https://api.example.com/v1";

    fn next(parameters: &str, arguments: &str, links: &[&str], body: &str) -> Option<String> {
        let parameters = parameters.split_whitespace().map(|name| format!("{{name: {name}, in: query}}"));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let document = format!("{{openapi: 3.1.0, paths: {{/a: {{get: {{parameters: [{parameters}]}}}}}}}}");
        let operation = Document::parse(&document).unwrap().operations(&Selection::default()).0.remove(0);
        let request = operation.request(&RawJson::parse(arguments.to_owned()).unwrap()).unwrap();
        let response = ApiResponse { status: 200, links, body: body.as_bytes() };
        operation.next_page(BASE, &request, response).map(|request| request.path_and_query)
    }

    #[test]
    fn a_link_is_followed_within_the_base_url_only() {
        for (link, expected) in [
            ("<https://api.example.com/v1/a?page=2>; rel=\"next\"", Some("/a?page=2")),
            ("</v1/b?page=2>; rel=next", Some("/b?page=2")),
            ("<?page=2>; rel=\"prev next\"", Some("/a?page=2")),
            ("<x>; rel=\"first\", <?page=3>; title=\"a, b; c\"; REL=\"NEXT\"", Some("/a?page=3")),
            ("<https://api.example.com/v1/a?page=2>; rel=\"last\"", None),
            ("<https://evil.example.com/v1/a?page=2>; rel=\"next\"", None),
            ("<http://api.example.com/v1/a?page=2>; rel=\"next\"", None),
            ("<https://api.example.com:444/v1/a>; rel=\"next\"", None),
            ("<https://api.example.com/v2/a?page=2>; rel=\"next\"", None),
            ("<https://api.example.com/v11/a?page=2>; rel=\"next\"", None),
            ("</v1/../v2/a>; rel=\"next\"", None),
            ("<//evil.example.com/v1/a>; rel=\"next\"", None),
            ("<https://api.example.com@evil.example.com/v1/a>; rel=\"next\"", None),
            ("<https://user:secret@api.example.com/v1/a?x>; rel=\"next\"", None),
            ("<https://api.example.com/v1//evil.example.com/a>; rel=\"next\"", None),
            ("<javascript:alert(1)>; rel=\"next\"", None),
            ("rel=\"next\"", None),
        ] {
            assert_eq!(next("", "{}", &[link], "[]").as_deref(), expected, "{link}");
        }
    }

    #[test]
    fn a_cursor_in_the_body_becomes_the_parameter_of_the_operation() {
        for (parameters, arguments, body, expected) in [
            ("cursor", "{}", r#"{"next_cursor": "a b"}"#, Some("/a?cursor=a%20b")),
            ("cursor", r#"{"cursor": "a"}"#, r#"{"next_cursor": "b"}"#, Some("/a?cursor=b")),
            (
                "cursor limit",
                r#"{"cursor": "a", "limit": "5"}"#,
                r#"{"next_cursor": "b"}"#,
                Some("/a?limit=5&cursor=b"),
            ),
            ("cursor", r#"{"cursor": "a"}"#, r#"{"next_cursor": "a"}"#, None),
            ("other", "{}", r#"{"next_cursor": "a"}"#, None),
            ("cursor", "{}", r#"{"next_cursor": ""}"#, None),
            ("cursor", "{}", r#"{"next_cursor": null, "has_more": true}"#, None),
            ("cursor", "{}", r#"{"next_cursor": "a", "has_more": false}"#, None),
            ("pageToken", "{}", r#"{"nextPageToken": "t"}"#, Some("/a?pageToken=t")),
            ("page_token", "{}", r#"{"next_page_token": "t"}"#, Some("/a?page_token=t")),
            ("page", "{}", r#"{"next_page": 2}"#, Some("/a?page=2")),
            ("page", "{}", r#"{"meta": {"next_page": 3}}"#, Some("/a?page=3")),
            ("cursor", "{}", r#"{"response_metadata": {"next_cursor": "s"}}"#, Some("/a?cursor=s")),
            ("continue limit", "{}", r#"{"metadata": {"continue": "k"}}"#, Some("/a?continue=k")),
            (
                "starting_after",
                "{}",
                r#"{"has_more": true, "data": [{"id": "x"}, {"id": "y"}]}"#,
                Some("/a?starting_after=y"),
            ),
            ("starting_after", "{}", r#"{"has_more": false, "data": [{"id": "x"}]}"#, None),
            ("start_cursor", "{}", r#"{"has_more": true, "next_cursor": "n"}"#, Some("/a?start_cursor=n")),
            ("after_id", "{}", r#"{"has_more": true, "last_id": "z", "data": []}"#, Some("/a?after_id=z")),
            ("", "{}", r#"{"next": "https://api.example.com/v1/a?page=2"}"#, Some("/a?page=2")),
            ("", "{}", r#"{"links": {"next": {"href": "/v1/a?page=2"}}}"#, Some("/a?page=2")),
            ("", "{}", r#"{"@odata.nextLink": "https://evil.example.com/"}"#, None),
            ("", "{}", "[]", None),
            ("", "{}", "oops", None),
        ] {
            assert_eq!(next(parameters, arguments, &[], body).as_deref(), expected, "{parameters} {body}");
        }
    }
}
