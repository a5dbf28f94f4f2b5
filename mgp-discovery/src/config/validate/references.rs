//! `[references]` and `[results]`.

use super::checks::Checks;
use crate::config::{ReferencesConfig, ResultLimits, path::KeyPath};
use url::{Host, Url};

pub(super) fn references(config: &ReferencesConfig, results: ResultLimits, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("references");
    checks.range(path.key("ttl_secs"), config.ttl_secs, 1..=7 * 86_400);
    checks.range(path.key("max_results"), config.max_results, 0..=10_000);
    checks.range(path.key("max_total_results"), config.max_total_results, 0..=10_000);
    checks.range(path.key("store_bytes"), config.store_bytes, 0..=64 * 1024 * 1024);
    if let Some(address) = config.object_store.as_ref().filter(|address| !is_folder_of_bucket(address)) {
        let message = format!("{address:?} is not a folder of a bucket: expected s3://BUCKET/FOLDER");
        checks.advise(path.key("object_store"), message, "for example \"s3://kept-results/mgp\"");
    }
    checks.count(path.key("hosts"), config.hosts.len());
    for (i, host) in config.hosts.iter().enumerate() {
        if !is_host(host) {
            let message = format!(
                "{host:?} is not a host: expected a name or an address, and a port if it is not the usual one"
            );
            checks.advise(
                path.key("hosts").index(i),
                message,
                "for example \"files.example.com\" or \"127.0.0.1:8080\"",
            );
        }
    }
    if let Some(tokens) = results.max_tokens {
        checks.range(KeyPath::root().key("results").key("max_tokens"), tokens, 100..=1_000_000_000);
    }
}

/// Returns whether a text names a bucket, with or without a folder in it.
fn is_folder_of_bucket(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("s3://") else { return false };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let mut names = rest.strip_suffix('/').unwrap_or(rest).split('/');
    let bucket = names.next().unwrap_or_default();
    !bucket.is_empty() && bucket.bytes().all(is_plain) && names.all(|name| !matches!(name, "" | "." | ".."))
}

/// Returns whether a text is only a host, with or without a port.
fn is_host(text: &str) -> bool {
    let Ok(url) = Url::parse(&format!("https://{text}/")) else { return false };
    let is_written = !matches!(url.host(), None | Some(Host::Domain("")));
    is_written && !text.contains(['/', '?', '#', '@', '*', '\\']) && (url.path(), url.username()) == ("/", "")
}
