//! `[console]`.

use super::{checks::Checks, kernel::origin_is_one, oauth::scopes};
use crate::config::{ConsoleConfig, path::KeyPath};

/// Checks the table. `has_tokens` is true with `[http.oauth]`.
pub(super) fn console(config: &ConsoleConfig, has_tokens: bool, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("console");
    if let Some(origin) = &config.origin
        && !(origin.starts_with("https://") && origin_is_one(origin))
    {
        let message = format!(
            "{origin:?} is not an origin: expected https and a host, such as \"https://console.example.com\""
        );
        checks.say(path.key("origin"), message);
    }
    let of_tokens = [("viewer_scope", &config.viewer_scope), ("approver_scope", &config.approver_scope)];
    for (key, scope) in of_tokens {
        let Some(scope) = scope else { continue };
        scopes(std::slice::from_ref(scope), &path.key(key), checks);
        if !has_tokens {
            checks.advise(path.key(key), "there is nobody who issues tokens with scopes", "add http.oauth");
        }
    }
    let Some(listen) = config.listen else {
        for (key, is_given) in [("origin", config.origin.is_some()), ("proxies", !config.proxies.is_empty())]
        {
            if is_given {
                checks.advise(path.key(key), "there is no address to listen on", "add console.listen");
            }
        }
        return;
    };
    if config.origin.is_none() {
        checks.advise(
            path.key("listen"),
            "browsers reach the console only through a proxy with TLS",
            "add console.origin, the address of the proxy, such as \"https://console.example.com\"",
        );
    }
    if config.proxies.is_empty() && !listen.ip().is_loopback() {
        checks.advise(
            path.key("listen"),
            format!("others than the proxy can connect to {listen}"),
            "add console.proxies with the IP addresses of the proxy, or listen on 127.0.0.1",
        );
    }
}
