//! The challenge of a response that refuses a request for lack of rights: `WWW-Authenticate` (RFC 9110 §11.6.1).

use http::{HeaderMap, HeaderValue, StatusCode, header::WWW_AUTHENTICATE};
use std::net::SocketAddr;
use url::Url;

/// The longest header that is read, in bytes.
const MAX_HEADER: usize = 8 * 1024;
/// The most schemes that are read of a response, and the most parameters of a scheme.
const MAX_SCHEMES: usize = 16;
const MAX_PARAMS: usize = 32;
/// The scheme of tokens with a proof of possession.
const DPOP: &str = "dpop";

/// A request that a server refused for lack of rights.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Challenge {
    /// The status: 401, or 403 if the scope of a token does not suffice.
    pub status: StatusCode,
    /// The URL of the request.
    pub endpoint: Url,
    /// The address that answered: the server's, or a proxy's.
    pub remote: Option<SocketAddr>,
    /// The number of the attempt that was refused, from 1.
    pub attempt: u32,
    /// The `Authorization` of the refused request.
    pub sent: Option<HeaderValue>,
    /// The ways to authenticate that the server offers, in its order.
    pub schemes: Vec<AuthScheme>,
}

impl Challenge {
    /// Creates a challenge from its parts. `headers` are those of the response.
    #[must_use]
    pub fn new(status: StatusCode, endpoint: Url, headers: &HeaderMap) -> Self {
        Self { status, endpoint, remote: None, attempt: 1, sent: None, schemes: read(headers) }
    }

    /// Returns a parameter of the schemes of access tokens: `Bearer`, and `DPoP` of RFC 9449. The first scheme that has it counts.
    #[must_use]
    pub fn token_param(&self, param: &str) -> Option<&str> {
        let schemes = ["bearer", DPOP].into_iter().flat_map(|name| self.offered(name));
        schemes.filter_map(|scheme| scheme.param(param)).next()
    }

    /// Returns `true` if the server accepts tokens with a proof of possession (RFC 9449).
    #[must_use]
    pub fn offers_dpop(&self) -> bool {
        self.offered(DPOP).next().is_some()
    }

    /// Returns `true` if the server demands a nonce in the proof of possession, which a header of the response supplies.
    #[must_use]
    pub fn demands_nonce(&self) -> bool {
        self.offered(DPOP).any(|scheme| scheme.param("error") == Some("use_dpop_nonce"))
    }

    fn offered<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a AuthScheme> {
        self.schemes.iter().filter(move |scheme| scheme.name.eq_ignore_ascii_case(name))
    }

    /// Returns `true` if the token lacks a scope.
    #[must_use]
    pub fn lacks_scope(&self) -> bool {
        self.status == StatusCode::FORBIDDEN && self.token_param("error") == Some("insufficient_scope")
    }
}

/// One way to authenticate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthScheme {
    /// The name as the server wrote it, such as `Bearer`. Its case does not matter.
    pub name: String,
    params: Vec<(String, String)>,
}

impl AuthScheme {
    /// Returns a parameter; its name is case-insensitive. If two parameters have the same name, the first one counts.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        let found = self.params.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Parses every `WWW-Authenticate`. A malformed header is parsed up to the error.
fn read(headers: &HeaderMap) -> Vec<AuthScheme> {
    let mut schemes = Vec::new();
    for value in headers.get_all(WWW_AUTHENTICATE) {
        if value.len() <= MAX_HEADER
            && let Ok(text) = std::str::from_utf8(value.as_bytes())
        {
            let first = schemes.len();
            let _ = Cursor { text }.schemes(first, &mut schemes);
        }
    }
    schemes
}

struct Cursor<'a> {
    text: &'a str,
}

impl<'a> Cursor<'a> {
    /// Appends the parsed schemes to `schemes`; those before `first` belong to another header. Returns `None` at the end or at an
    /// error.
    fn schemes(&mut self, first: usize, schemes: &mut Vec<AuthScheme>) -> Option<()> {
        loop {
            self.text = self.text.trim_start_matches([' ', '\t', ',']);
            let word = self.token()?;
            if let Some(value) = self.value() {
                // A parameter before any scheme belongs to nothing.
                let scheme = schemes[first..].last_mut()?;
                if scheme.params.len() < MAX_PARAMS {
                    scheme.params.push((word.to_owned(), value?));
                }
                continue;
            }
            if schemes.len() == MAX_SCHEMES {
                return None;
            }
            schemes.push(AuthScheme { name: word.to_owned(), params: Vec::new() });
            self.skip_token68();
        }
    }

    fn token(&mut self) -> Option<&'a str> {
        let end = self.text.find(|c: char| !is_token(c)).unwrap_or(self.text.len());
        let (token, rest) = self.text.split_at(end);
        self.text = rest;
        (!token.is_empty()).then_some(token)
    }

    /// Reads the value after a parameter's name. Returns `None` if no `=` follows, and `Some(None)` if the value is malformed.
    fn value(&mut self) -> Option<Option<String>> {
        let rest = self.text.trim_start_matches([' ', '\t']).strip_prefix('=')?;
        self.text = rest.trim_start_matches([' ', '\t']);
        Some(match self.text.strip_prefix('"') {
            Some(rest) => {
                self.text = rest;
                self.quoted()
            }
            None => self.token().map(str::to_owned),
        })
    }

    fn quoted(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut chars = self.text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.text = &self.text[at + 1..];
                    return Some(value);
                }
                '\\' => value.push(chars.next()?.1),
                c => value.push(c),
            }
        }
        None
    }

    /// Skips the one value without a name that may follow a scheme, such as that of `Negotiate`.
    fn skip_token68(&mut self) {
        let text = self.text.trim_start_matches([' ', '\t']);
        let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c));
        let rest = rest.trim_start_matches('=').trim_start_matches([' ', '\t']);
        if rest.is_empty() || rest.starts_with(',') {
            self.text = rest;
        }
    }
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the schemes, written as `name(key=value,..)`.
    fn check(values: &[&str], expected: &[&str]) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(WWW_AUTHENTICATE, HeaderValue::from_str(value).unwrap());
        }
        let shown: Vec<_> = read(&headers)
            .iter()
            .map(|scheme| {
                let params: Vec<_> = scheme.params.iter().map(|(k, v)| format!("{k}={v}")).collect();
                format!("{}({})", scheme.name, params.join(","))
            })
            .collect();
        assert_eq!(shown, expected, "{values:?}");
    }

    #[test]
    fn schemes_and_parameters_are_separated_despite_commas() {
        check(&[r#"Bearer error="invalid_token", scope="a b""#], &["Bearer(error=invalid_token,scope=a b)"]);
        check(
            &[r#"Basic realm="x, y", Bearer scope = a ,error="b", Negotiate"#],
            &["Basic(realm=x, y)", "Bearer(scope=a,error=b)", "Negotiate()"],
        );
        check(&["Bearer"], &["Bearer()"]);
        check(
            &["Negotiate abc/de==, Bearer a=b", r#"DPoP algs="ES256""#],
            &["Negotiate()", "Bearer(a=b)", "DPoP(algs=ES256)"],
        );
        check(&[r#"Bearer a="say \"hi\" \\ ""#], &[r#"Bearer(a=say "hi" \ )"#]);
    }

    #[test]
    fn a_malformed_header_is_read_up_to_its_fault() {
        check(&[r#"Bearer a=b, c="unfinished"#], &["Bearer(a=b)"]);
        check(&["", ",,", "=x", "a=b", "\"x\""], &[]);
        check(&["Bearer a=b, {}"], &["Bearer(a=b)"]);
        // A parameter is not given to a scheme of another header.
        check(&["Bearer", "a=b"], &["Bearer()"]);
    }

    #[test]
    fn a_response_s_challenges_are_bounded() {
        let many: String = (0..100).map(|n| format!("S{n}, ")).collect();
        let mut headers = HeaderMap::new();
        headers.append(WWW_AUTHENTICATE, many.parse().unwrap());
        assert_eq!(read(&headers).len(), MAX_SCHEMES);
        let params: String = (0..100).map(|n| format!("p{n}=1, ")).collect();
        headers.insert(WWW_AUTHENTICATE, format!("Bearer {params}").parse().unwrap());
        assert_eq!(read(&headers)[0].params.len(), MAX_PARAMS);
        let long = format!("Bearer a={}", "x".repeat(MAX_HEADER));
        headers.insert(WWW_AUTHENTICATE, long.parse().unwrap());
        assert_eq!(read(&headers), []);
    }

    #[test]
    fn only_a_403_with_that_error_lacks_scope() {
        let lacks = |status: u16, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(WWW_AUTHENTICATE, value.parse().unwrap());
            let endpoint = Url::parse("http://127.0.0.1/mcp").unwrap();
            Challenge::new(StatusCode::from_u16(status).unwrap(), endpoint, &headers).lacks_scope()
        };
        assert!(lacks(403, "Basic x=y, bearer Error=insufficient_scope"));
        assert!(lacks(403, r#"DPoP error="insufficient_scope", Bearer realm=x"#));
        assert!(!lacks(401, "Bearer error=insufficient_scope"));
        assert!(!lacks(403, "Bearer error=invalid_token") && !lacks(403, "Basic error=insufficient_scope"));
    }

    #[test]
    fn proofs_and_nonces_are_demanded_by_their_own_scheme() {
        let of = |value: &str| {
            let headers = HeaderMap::from_iter([(WWW_AUTHENTICATE, value.parse().unwrap())]);
            let endpoint = Url::parse("http://127.0.0.1/mcp").unwrap();
            let challenge = Challenge::new(StatusCode::UNAUTHORIZED, endpoint, &headers);
            (challenge.offers_dpop(), challenge.demands_nonce())
        };
        assert_eq!(of(r#"Bearer error="use_dpop_nonce""#), (false, false));
        assert_eq!(of(r#"Bearer, DPoP algs="ES256""#), (true, false));
        assert_eq!(of(r#"dpop error="use_dpop_nonce""#), (true, true));
    }
}
