//! The media types that a client can read and that it sent: `Accept` and `Content-Type`.

use super::refusal::Refusal;
use crate::http::header::{JSON, SSE, content_type, is_media_type};
use http::{HeaderMap, StatusCode, header::ACCEPT};
use mgp_types::printable::quoted;

/// Refuses a POST whose body is not JSON, or whose client cannot read both forms of an answer.
pub(super) fn check_post(headers: &HeaderMap) -> Result<(), Refusal> {
    check_json(headers)?;
    check(headers, &[JSON, SSE])
}

/// Refuses a POST whose body is not JSON.
pub(super) fn check_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let content_type = content_type(headers);
    if !is_media_type(content_type, JSON) {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("unsupported Content-Type: expected {JSON}, found {}", quoted(content_type)),
        ));
    }
    Ok(())
}

/// Refuses a GET whose client cannot read a stream.
pub(super) fn check_get(headers: &HeaderMap) -> Result<(), Refusal> {
    check(headers, &[SSE])
}

fn check(headers: &HeaderMap, needed: &[&str]) -> Result<(), Refusal> {
    // HTTP reads no header as "anything".
    if !headers.contains_key(ACCEPT) || needed.iter().all(|media_type| accepts(headers, media_type)) {
        return Ok(());
    }
    let found: Vec<_> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    Err(Refusal::new(
        StatusCode::NOT_ACCEPTABLE,
        format!("unsupported Accept: expected {}, found {}", needed.join(", "), quoted(&found.join(", "))),
    ))
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

    fn post(accept: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
        headers.insert(ACCEPT, accept.parse().unwrap());
        check_post(&headers).is_ok()
    }

    #[test]
    fn a_post_must_accept_both_forms() {
        for accept in [
            "application/json, text/event-stream",
            "text/event-stream;q=0.5,Application/Json",
            "*/*",
            "application/*, text/*",
        ] {
            assert!(post(accept), "{accept}");
        }
        for accept in
            ["application/json", "text/event-stream", "text/html", "application/json, text/event-stream;q=0"]
        {
            assert!(!post(accept), "{accept}");
        }
    }

    #[test]
    fn no_accept_header_means_anything_and_no_content_type_is_refused() {
        assert!(check_get(&HeaderMap::new()).is_ok());
        let error = check_post(&HeaderMap::new()).unwrap_err();
        assert_eq!(error.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
}
