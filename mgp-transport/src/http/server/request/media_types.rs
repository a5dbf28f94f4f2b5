//! The media types of a client: those that it can read (`Accept`), and that of its body (`Content-Type`).

use crate::http::{
    header::{JSON, SSE, content_type, is_media_type},
    server::refusal::Refusal,
};
use http::{HeaderMap, StatusCode, header::ACCEPT};
use mgp_types::printable::quoted;

/// The forms of an answer that a client can read. MCP requires clients to read both; some read only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) struct AnswerForms {
    pub(in crate::http::server) json: bool,
    pub(in crate::http::server) stream: bool,
}

/// Returns the forms of an answer that the client of a POST can read. Refuses a body that is not JSON, and a client that can read neither form.
pub(in crate::http::server) fn check_post(headers: &HeaderMap) -> Result<AnswerForms, Refusal> {
    check_json(headers)?;
    let forms = AnswerForms { json: is_accepted(headers, JSON), stream: is_accepted(headers, SSE) };
    if forms.json || forms.stream { Ok(forms) } else { Err(refusal(headers, &format!("{JSON}, {SSE}"))) }
}

/// Refuses a client that cannot read a stream.
pub(in crate::http::server) fn check_stream(headers: &HeaderMap) -> Result<(), Refusal> {
    if is_accepted(headers, SSE) { Ok(()) } else { Err(refusal(headers, SSE)) }
}

/// Refuses a POST whose body is not JSON.
pub(in crate::http::server) fn check_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let content_type = content_type(headers);
    if !is_media_type(content_type, JSON) {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("unsupported Content-Type: expected {JSON}, found {}", quoted(content_type)),
        ));
    }
    Ok(())
}

fn refusal(headers: &HeaderMap, expected: &str) -> Refusal {
    let found: Vec<_> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let message = format!("unsupported Accept: expected {expected}, found {}", quoted(&found.join(", ")));
    Refusal::new(StatusCode::NOT_ACCEPTABLE, message)
}

/// Returns whether a client can read a media type. HTTP reads no header as "anything".
fn is_accepted(headers: &HeaderMap, media_type: &str) -> bool {
    !headers.contains_key(ACCEPT) || accepts(headers, media_type)
}

fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let family = media_type.split('/').next().unwrap_or_default();
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let range = parts.next().unwrap_or_default();
            let refused = parts
                .filter_map(|parameter| parameter.strip_prefix("q="))
                .any(|weight| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0));
            !refused
                && (range == "*/*"
                    || range.eq_ignore_ascii_case(media_type)
                    || range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(family)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::CONTENT_TYPE;

    /// Returns the forms that a POST with this header is answered in: JSON, and a stream.
    fn post(accept: &str) -> Option<(bool, bool)> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
        headers.insert(ACCEPT, accept.parse().unwrap());
        check_post(&headers).ok().map(|forms| (forms.json, forms.stream))
    }

    #[test]
    fn a_post_is_answered_in_a_form_that_its_client_reads() {
        for (accept, forms) in [
            ("application/json, text/event-stream", Some((true, true))),
            ("text/event-stream;q=0.5,Application/Json", Some((true, true))),
            ("*/*", Some((true, true))),
            ("application/*, text/*", Some((true, true))),
            ("application/json", Some((true, false))),
            ("application/json, text/event-stream;q=0", Some((true, false))),
            ("text/event-stream", Some((false, true))),
            ("text/html", None),
            ("text/event-stream;q=0", None),
        ] {
            assert_eq!(post(accept), forms, "{accept}");
        }
    }

    #[test]
    fn a_missing_accept_is_anything_and_a_missing_type_refused() {
        assert!(check_stream(&HeaderMap::new()).is_ok());
        let error = check_post(&HeaderMap::new()).unwrap_err();
        assert_eq!(error.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
}
