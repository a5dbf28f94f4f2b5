//! `[[servers]]`.

use super::{checks::Checks, confinement, server_api, server_command, server_mgp, tool_shape};
use crate::config::{
    Auth, BasicAuth, OAuthGrant, ServerConfig, ServerOAuth, Transport, path::KeyPath, text::Secret,
};
use std::collections::BTreeMap;

pub(super) fn server(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    match server.transport() {
        Transport::Stdio => stdio(server, path, checks),
        Transport::Http => http(server, path, checks),
        Transport::Openapi => api(server, path, checks),
        Transport::Commands => programs(server, path, checks),
    }
    if let Some(pages) = server.max_pages {
        checks.range(path.key("max_pages"), pages, 1..=100);
    }
    tool_shape::shapes(&server.tools, &path.key("tools"), checks);
    if let Some(settings) = &server.confinement {
        confinement::confinement(settings, server.disabled, &path.key("confinement"), checks);
    }
    if let Some(mgp) = &server.mgp {
        server_mgp::server_mgp(mgp, &path.key("mgp"), checks);
    }
}

fn stdio(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    match &server.command {
        None => {
            let help = "add command = \"...\", or url = \"...\" for a server over HTTP";
            checks.advise(path.key("command"), "missing: expected the program to start", help);
        }
        Some(command) if command.value().trim().is_empty() => {
            checks.say(path.key("command"), "empty: expected the program to start");
        }
        Some(command) => checks.path(path.key("command"), command),
    }
    process(server, path, checks);
    let unused = [
        ("url", server.url.is_some()),
        ("headers", !server.headers.is_empty()),
        ("auth", server.auth.is_some()),
    ];
    no_use_for(&unused, "transport = \"stdio\"", path, checks);
    no_use_of_api(server, "transport = \"stdio\"", path, checks);
    no_use_for(&[("commands", !server.commands.is_empty())], "transport = \"stdio\"", path, checks);
}

/// Checks a server whose tools are commands.
fn programs(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    if server.commands.is_empty() {
        checks.say(path.key("commands"), "missing: expected commands");
    }
    server_command::commands(&server.commands, &path.key("commands"), checks);
    process(server, path, checks);
    let unused = [
        ("command", server.command.is_some()),
        ("args", !server.args.is_empty()),
        ("url", server.url.is_some()),
        ("headers", !server.headers.is_empty()),
        ("auth", server.auth.is_some()),
    ];
    no_use_for(&unused, "commands", path, checks);
    no_use_of_api(server, "commands", path, checks);
}

/// Checks the keys of a process: its arguments, folder and environment.
fn process(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.key("args"), server.args.len());
    for (i, arg) in server.args.iter().enumerate() {
        checks.text(path.key("args").index(i), arg.value());
    }
    if let Some(cwd) = &server.cwd {
        checks.path(path.key("cwd"), cwd);
        if cwd.value().is_empty() {
            checks.say(path.key("cwd"), "empty: expected a folder");
        }
    }
    checks.count(path.key("env"), server.env.len());
    for (name, value) in &server.env {
        let here = path.key("env").key(name);
        if name.is_empty() || name.contains(|c: char| c == '=' || c.is_control()) {
            checks.say_of_key(
                here.clone(),
                format!("{name:?} is not a variable name: expected a name on one line, without '='"),
            );
        }
        checks.text(here, value.reveal());
    }
    inherit(&server.inherit, &path.key("inherit"), checks);
}

/// Checks the names of variables that a server inherits.
fn inherit(names: &[String], path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), names.len());
    for (i, name) in names.iter().enumerate() {
        let start = name.strip_suffix('*').unwrap_or(name);
        if start.is_empty() || start.contains(['=', '*', '$']) || start.contains(char::is_whitespace) {
            let expected = "expected one such as \"DOCKER_HOST\", or \"DOCKER_*\" for all that begin so";
            checks.say(path.index(i), format!("{name:?} is not a variable name or pattern: {expected}"));
        } else {
            checks.name(path.index(i), name);
        }
    }
    checks.distinct(path, "variable", names.iter().map(String::as_str));
}

fn http(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    match &server.url {
        None => checks.say(path.key("url"), "missing: expected the server's address"),
        // The variables of a disabled server are not looked up.
        Some(url) if server.disabled && url.written().contains("${") => {}
        // Checked when its secrets are read.
        Some(url) if url.sources().next().is_some() => {}
        Some(url) => address(url.value(), &path.key("url"), "use the auth table instead", checks),
    }
    at_url(server, path, checks);
    no_use_of_process(server, "transport = \"http\"", path, checks);
    no_use_of_api(server, "transport = \"http\"", path, checks);
    no_use_for(&[("commands", !server.commands.is_empty())], "transport = \"http\"", path, checks);
}

/// Checks a server that is an HTTP API.
fn api(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    server_api::api(server, path, checks);
    at_url(server, path, checks);
    no_use_of_process(server, "openapi", path, checks);
    let unused = [("url", server.url.is_some()), ("commands", !server.commands.is_empty())];
    no_use_for(&unused, "openapi", path, checks);
}

/// Checks the headers and the credentials of requests.
fn at_url(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    headers(&server.headers, &path.key("headers"), checks);
    if let Some(auth) = &server.auth {
        credentials(auth, server, &path.key("auth"), checks);
    }
}

fn no_use_of_api(server: &ServerConfig, with: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    let unused = [
        ("openapi", server.openapi.is_some()),
        ("base_url", server.base_url.is_some()),
        ("include", !server.include.is_empty()),
        ("exclude", !server.exclude.is_empty()),
        ("max_pages", server.max_pages.is_some()),
    ];
    no_use_for(&unused, with, path, checks);
}

fn no_use_of_process(server: &ServerConfig, with: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    let unused = [
        ("command", server.command.is_some()),
        ("args", !server.args.is_empty()),
        ("env", !server.env.is_empty()),
        ("inherit", !server.inherit.is_empty()),
        ("cwd", server.cwd.is_some()),
        ("confinement", server.confinement.is_some()),
    ];
    no_use_for(&unused, with, path, checks);
}

/// Reports keys that have no effect, because they indicate a misunderstanding.
fn no_use_for(keys: &[(&str, bool)], with: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    for (key, _) in keys.iter().filter(|(_, used)| *used) {
        checks.say_of_key(path.key(*key), format!("has no meaning with {with}"));
    }
}

/// The advice on a text that is not the URL of a server.
const WITH_SCHEME: &str = "begin it with http:// or https://, as in \"http://localhost:3000/mcp\"";

/// Checks a URL. `instead` is the advice for one that holds a user name or password.
pub(super) fn address(url: &str, path: &KeyPath, instead: &str, checks: &mut Checks<'_>) {
    // The value is not shown, because it may contain a key.
    match url::Url::parse(url) {
        Err(error) => checks.advise(path.clone(), format!("not a URL: {error}"), WITH_SCHEME),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            let message = format!("a URL of scheme {:?}: expected http or https", url.scheme());
            checks.advise(path.clone(), message, WITH_SCHEME);
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            checks.advise(path.clone(), "holds a user name or password", instead);
        }
        Ok(_) => checks.text(path.clone(), url),
    }
}

fn headers(headers: &BTreeMap<String, Secret>, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), headers.len());
    for (name, value) in headers {
        header_name(name, &path.key(name), checks);
        header_value(value, &path.key(name), checks);
    }
}

fn credentials(auth: &Auth, server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    if let Some(oauth) = &auth.oauth {
        return tokens(auth, oauth, path, checks);
    }
    if let Some(basic) = &auth.basic {
        return user(auth, basic, server, path, checks);
    }
    match (&auth.bearer, &auth.api_key) {
        (None, None) => checks.say(path.clone(), "empty: expected bearer, basic, api_key or oauth"),
        (Some(_), Some(_)) => checks.say(path.clone(), "has both bearer and api_key: expected one of them"),
        (Some(token), None) => {
            header_value(token, &path.key("bearer"), checks);
            if auth.header.is_some() {
                checks.say(path.key("header"), "has no meaning with bearer");
            }
        }
        (None, Some(key)) => header_value(key, &path.key("api_key"), checks),
    }
    if let Some(name) = &auth.header {
        header_name(name, &path.key("header"), checks);
    }
    let own =
        if auth.bearer.is_some() { "authorization" } else { auth.header.as_deref().unwrap_or("x-api-key") };
    if server.headers.keys().any(|name| name.eq_ignore_ascii_case(own)) {
        checks.say(path.clone(), format!("the header {own:?} is in headers too: expected it once"));
    }
}

fn user(auth: &Auth, basic: &BasicAuth, server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    let own = path.key("basic");
    if auth.bearer.is_some() || auth.api_key.is_some() || auth.header.is_some() {
        checks.say(path.clone(), "has basic together with bearer, api_key or header: expected one way");
    }
    if basic.user.value().contains(':') {
        checks.say(own.key("user"), "holds a colon, which ends a user name");
    }
    checks.text(own.key("user"), basic.user.value());
    checks.text(own.key("password"), basic.password.reveal());
    if server.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
        checks.say(path.clone(), "the header \"authorization\" is in headers too: expected it once");
    }
}

fn tokens(auth: &Auth, oauth: &ServerOAuth, path: &KeyPath, checks: &mut Checks<'_>) {
    let own = path.key("oauth");
    if auth.bearer.is_some() || auth.basic.is_some() || auth.api_key.is_some() || auth.header.is_some() {
        checks
            .say(path.clone(), "has oauth together with bearer, basic, api_key or header: expected one way");
    }
    if oauth.client_secret.is_some() && (oauth.client_id.is_none() || oauth.issuer.is_none()) {
        // Otherwise the secret would be sent to any authorization server that the tool server names.
        checks.say_of_key(own.key("client_secret"), "needs client_id and issuer");
    }
    if oauth.grant == OAuthGrant::ClientCredentials && oauth.client_id.is_none() {
        checks.say(own.key("grant"), "is client_credentials: needs client_id");
    }
    if let Some(document) = oauth.client_metadata.as_ref().filter(|url| !url.starts_with("https://")) {
        checks.say(own.key("client_metadata"), format!("expected an https address, found {document:?}"));
    }
}

/// Headers that the transport itself writes.
const OWN: &[&str] = &[
    "accept",
    "content-length",
    "content-type",
    "host",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

fn header_name(name: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    match http::HeaderName::from_bytes(name.as_bytes()) {
        Err(_) => checks.say_of_key(path.clone(), format!("{name:?} is not a header name")),
        Ok(header) if OWN.contains(&header.as_str()) => {
            checks.say_of_key(path.clone(), format!("the header {name:?} is set by the transport"));
        }
        Ok(_) => {}
    }
}

pub(super) fn header_value(value: &Secret, path: &KeyPath, checks: &mut Checks<'_>) {
    let text = value.text();
    // The values of a disabled server are as in the file.
    let is_later =
        text.sources().next().is_some() || (text.value() == text.written() && text.source().is_some());
    if is_later {
        // Checked when its secrets are read.
    } else if value.reveal().is_empty() || http::HeaderValue::from_str(value.reveal()).is_err() {
        checks.say(path.clone(), "not a header value: expected visible characters and no line breaks");
    }
    checks.text(path.clone(), value.reveal());
}
