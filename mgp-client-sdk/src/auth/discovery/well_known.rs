//! The well-known URLs of metadata.

use mgp_types::oauth::issuer_metadata_urls;
use url::Url;

/// Returns the URLs at which the metadata of a protected resource may be published, in the order in which they are tried.
pub(super) fn of_resource(server: &Url) -> Vec<Url> {
    let name = "oauth-protected-resource";
    distinct([inserted(server, name), at_root(server, name)])
}

/// Returns the URLs at which the metadata of an authorization server may be published, in the order in which they are tried.
pub(super) fn of_issuer(issuer: &Url) -> Vec<Url> {
    issuer_metadata_urls(issuer.as_str()).iter().filter_map(|url| Url::parse(url).ok()).collect()
}

/// Returns the URL of a well-known document at the root of a server.
pub(super) fn at_root(url: &Url, name: &str) -> Url {
    with_path(url, &format!("/.well-known/{name}"))
}

fn inserted(url: &Url, name: &str) -> Url {
    with_path(url, &format!("/.well-known/{name}{}", url.path().trim_end_matches('/')))
}

fn with_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn distinct(urls: impl IntoIterator<Item = Url>) -> Vec<Url> {
    let mut found = Vec::new();
    for url in urls {
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[Url], expected: &[&str]) {
        let paths: Vec<_> = found.iter().map(Url::as_str).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn the_resource_path_is_tried_before_the_root() {
        let of = |url: &str| of_resource(&Url::parse(url).unwrap());
        check(
            &of("https://x.example/a/mcp?b=c"),
            &[
                "https://x.example/.well-known/oauth-protected-resource/a/mcp",
                "https://x.example/.well-known/oauth-protected-resource",
            ],
        );
        check(&of("https://x.example/"), &["https://x.example/.well-known/oauth-protected-resource"]);
    }

    #[test]
    fn an_issuer_path_is_normalized_before_it_is_inserted() {
        let of = |url: &str| of_issuer(&Url::parse(url).unwrap());
        check(
            &of("https://X.example:443/a/../../b/"),
            &[
                "https://x.example/.well-known/oauth-authorization-server/b",
                "https://x.example/.well-known/openid-configuration/b",
                "https://x.example/b/.well-known/openid-configuration",
            ],
        );
        assert_eq!(of("https://x.example/").len(), 2);
    }
}
