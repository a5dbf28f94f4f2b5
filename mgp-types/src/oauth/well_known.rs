//! The addresses of published metadata.

/// Returns the addresses of an issuer's metadata, in the order in which to try them (RFC 8414 §3, OpenID Connect
/// Discovery §4): with the well-known part before the issuer's path, and for OpenID also after it. `issuer` is a URL
/// without query and fragment. Pass another party's issuer in its normal form, so that no `..` in its path removes the
/// well-known part.
///
/// ```
/// let urls = mgp_types::oauth::issuer_metadata_urls("https://auth.example");
/// assert_eq!(urls[0], "https://auth.example/.well-known/oauth-authorization-server");
/// ```
#[must_use]
pub fn issuer_metadata_urls(issuer: &str) -> Vec<String> {
    let whole = issuer.trim_end_matches('/');
    let host = whole.find("://").map_or(0, |at| at + 3);
    let (origin, path) = match whole[host..].find('/') {
        Some(at) => whole.split_at(host + at),
        None => (whole, ""),
    };
    let mut urls = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        urls.push(format!("{whole}/.well-known/openid-configuration"));
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_path_is_inserted_and_for_openid_appended_too() {
        for issuer in ["https://x.example/t/1", "https://x.example/t/1/"] {
            assert_eq!(
                issuer_metadata_urls(issuer),
                [
                    "https://x.example/.well-known/oauth-authorization-server/t/1",
                    "https://x.example/.well-known/openid-configuration/t/1",
                    "https://x.example/t/1/.well-known/openid-configuration",
                ]
            );
        }
        for issuer in ["https://x.example:8443", "https://x.example:8443/"] {
            assert_eq!(
                issuer_metadata_urls(issuer),
                [
                    "https://x.example:8443/.well-known/oauth-authorization-server",
                    "https://x.example:8443/.well-known/openid-configuration",
                ]
            );
        }
    }
}
