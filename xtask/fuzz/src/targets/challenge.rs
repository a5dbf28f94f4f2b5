//! Challenges of servers that refuse a request for lack of rights: reading them stays within bounds, and a scheme in a
//! separate header is read as it was written, whatever the headers before it contain.

use http::{HeaderMap, HeaderValue, StatusCode, header::WWW_AUTHENTICATE};
use mgp_transport::http::client::Challenge;
use url::Url;

/// The bounds of the reader.
const MAX_SCHEMES: usize = 16;
const MAX_HEADER: usize = 8 * 1024;

fn read(values: &[HeaderValue]) -> Challenge {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(WWW_AUTHENTICATE, value.clone());
    }
    let endpoint = Url::parse("https://x.example/mcp").expect("it is a URL");
    Challenge::new(StatusCode::FORBIDDEN, endpoint, &headers)
}

/// Returns a header of one scheme with one parameter, which may be any valid text of a header.
fn written(value: &str) -> Option<HeaderValue> {
    let quoted = value.replace('\\', r"\\").replace('"', r#"\""#);
    let header = HeaderValue::from_bytes(format!("Last said=\"{quoted}\"").as_bytes()).ok()?;
    (header.len() <= MAX_HEADER).then_some(header)
}

pub(super) fn run(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n');
    let mut values: Vec<_> = lines.filter_map(|line| HeaderValue::from_bytes(line).ok()).collect();
    let before = read(&values);
    assert!(before.schemes.len() <= MAX_SCHEMES);
    for scheme in &before.schemes {
        assert!(!scheme.name.is_empty() && scheme.name.bytes().all(|byte| byte.is_ascii_graphic()));
    }
    assert!(!before.lacks_scope() || before.token_param("error") == Some("insufficient_scope"));

    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(last) = written(text) else { return };
    values.push(last);
    let after = read(&values);
    let (known, new) = after.schemes.split_at(before.schemes.len());
    assert_eq!(known, before.schemes);
    if before.schemes.len() < MAX_SCHEMES {
        assert_eq!((new.len(), new[0].name.as_str(), new[0].param("SAID")), (1, "Last", Some(text)));
    }
}
