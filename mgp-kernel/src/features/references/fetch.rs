//! Data behind the URL of a server's own reference.

use super::{
    References,
    content::{Content, ContentForm},
    keep_error::KeepError,
};
use crate::{catalog::tools::ToolEntry, upstream::Server};
use mgp_transport::{
    http::{
        fetch::{FetchLimits, Fetcher},
        zone::{Zone, zone_of_host},
    },
    seam::{Incoming, Reply, ToolCall},
};
use mgp_types::{
    context::{Principal, Target, TraceId},
    json::RawJson,
    mcp::ReadResource,
    reference::{Checksum, DataReference},
    rpc::{Call, RawParams},
};
use sha2::{Digest, Sha256};
use std::{sync::Arc, time::Duration};
use url::Url;

/// The bounds of one fetch. Redirects are not followed: they could lead to another host.
const LIMITS: FetchLimits =
    FetchLimits { size: 16 * 1024 * 1024, time: Duration::from_secs(60), redirects: 0 };

/// Returns the data that a result refers to, if it is a reference with a URL.
///
/// # Errors
/// [`KeepError::Fetch`], if the data cannot be fetched, or does not match the reference.
pub(super) async fn behind(references: &References, content: &Content) -> Option<Result<Content, KeepError>> {
    let reference: DataReference = serde_json::from_slice(content.bytes()).ok()?;
    let url = reference.access_url.clone()?;
    Some(fetch(&references.settings.bounds.hosts, &reference, &url).await.map_err(KeepError::Fetch))
}

/// The search for secrets in data that was not received from its server.
#[derive(Debug)]
pub(super) struct DataSearch {
    server: Option<Arc<Server>>,
    principal: Principal,
    target: Arc<Target>,
    trace: Option<TraceId>,
}

impl DataSearch {
    /// Returns the search with the settings for the call's results.
    pub(super) fn of(call: &ToolCall) -> Self {
        Self {
            server: ToolEntry::of(call).map(|entry| entry.server.clone()),
            principal: call.principal.clone(),
            target: call.target.clone(),
            trace: call.trace.clone(),
        }
    }

    /// Returns a message that represents reading the data as a resource, and names the caller. It is never sent.
    fn reading(&self) -> Incoming {
        let mut message = Incoming::request(1, ReadResource::METHOD, RawParams::none());
        message.set_principal(self.principal.clone());
        message.set_tool(self.target.tool.clone());
        if let Some(trace) = &self.trace {
            message.set_trace(trace.clone());
        }
        message
    }

    /// Searches data, and returns the form that may be kept.
    ///
    /// # Errors
    /// [`KeepError::Fetch`] for data that could not be searched, and must not leave unsearched.
    pub(super) async fn search(&self, data: Content) -> Result<Content, KeepError> {
        let Some(server) = &self.server else { return Ok(data) };
        let json = match data.form {
            ContentForm::Text => RawJson::string(data.as_str()),
            ContentForm::Json => RawJson::parse(data.bytes().to_vec())
                .map_err(|error| KeepError::Fetch(format!("its data cannot be searched: {error}")))?,
        };
        let reply = server.path.results.reply(&self.reading(), Reply::ok(json)).await;
        if let Some(error) = reply.as_error() {
            return Err(KeepError::Fetch(error.message.clone()));
        }
        let searched = reply.result().cloned().unwrap_or_else(RawJson::null);
        Ok(match data.form {
            ContentForm::Text => Content::text(searched.to_text().unwrap_or_default(), data.mime_type),
            ContentForm::Json => Content::json(searched, data.mime_type),
        })
    }
}

async fn fetch(hosts: &[String], reference: &DataReference, url: &str) -> Result<Content, String> {
    let url = Url::parse(url).map_err(|error| format!("invalid access_url: {error}"))?;
    let Some(host) = url.host_str() else { return Err("invalid access_url: expected a host".to_owned()) };
    if !hosts.iter().any(|allowed| is_host_of(&url, allowed)) {
        return Err(format!(
            "the operator's references.hosts does not have the host {host:?} of its access_url"
        ));
    }
    // An address that the operator wrote may be private. A name must not lead to one, because its owner could point it anywhere.
    let zone = zone_of_host(&url).unwrap_or(Zone::Public);
    let failed =
        |error: mgp_transport::http::fetch::DocumentError| format!("its data could not be fetched: {error}");
    let fetched = Fetcher::new(LIMITS, zone).map_err(failed)?.get_once(&url).await.map_err(failed)?;
    if !fetched.status.is_success() {
        return Err(format!("its data could not be fetched: {host} answered {}", fetched.status));
    }
    check(reference, &fetched.body)?;
    let text =
        String::from_utf8(fetched.body).map_err(|_| "its data is not text: expected UTF-8".to_owned())?;
    let mime_type = reference.mime_type.chars().take(128).collect::<String>();
    let is_json = mime_type.starts_with("application/json") || mime_type.ends_with("+json");
    Ok(match is_json.then(|| RawJson::parse(text.clone())) {
        Some(Ok(json)) => Content::json(json, mime_type),
        Some(Err(_)) | None => Content::text(text, mime_type),
    })
}

/// Checks that data matches its reference.
fn check(reference: &DataReference, data: &[u8]) -> Result<(), String> {
    if let Some(expected) = reference.size_bytes.filter(|expected| *expected != data.len() as u64) {
        return Err(format!("its data has {} bytes, expected {expected}", data.len()));
    }
    let Some(checksum) = &reference.checksum else { return Ok(()) };
    if checksum.algorithm != Checksum::SHA256 {
        let algorithm: String = checksum.algorithm.chars().take(32).collect();
        return Err(format!("its checksum is {algorithm:?}, expected sha256"));
    }
    let actual = Checksum::sha256(&Sha256::digest(data).into());
    if actual.value.eq_ignore_ascii_case(&checksum.value) {
        Ok(())
    } else {
        Err("the SHA-256 of its data differs from its checksum".to_owned())
    }
}

/// Returns whether a URL has a host that the operator wrote as `host` or `host:port`. Without a port, the default port is
/// meant.
fn is_host_of(url: &Url, allowed: &str) -> bool {
    let scheme = url.scheme();
    let Ok(allowed) = Url::parse(&format!("{scheme}://{allowed}/")) else { return false };
    matches!(scheme, "http" | "https")
        && (url.host(), url.port_or_known_default()) == (allowed.host(), allowed.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_allowed_only_with_its_port() {
        let is = |url: &str, allowed: &str| is_host_of(&Url::parse(url).unwrap(), allowed);
        assert!(is("https://Files.example.com/x?sig=1", "files.example.com"));
        assert!(is("http://127.0.0.1:8080/x", "127.0.0.1:8080"));
        for (url, allowed) in [
            ("https://files.example.com:8443/x", "files.example.com"),
            ("https://a.files.example.com/x", "files.example.com"),
            ("https://files.example.com.evil.com/x", "files.example.com"),
            ("https://files.example.com@evil.com/x", "files.example.com"),
            ("ftp://files.example.com/x", "files.example.com"),
            ("http://127.0.0.1:8080/x", "127.0.0.1"),
        ] {
            assert!(!is(url, allowed), "{url}");
        }
    }
}
