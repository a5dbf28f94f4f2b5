//! Connects to a server, performs the handshake and reads its lists.

#[cfg(feature = "child")]
use super::confined;
use super::{Endpoint, Link, Server, extensions::offered_in_advance, inbound::Inbound, listing::list_tools};
use crate::ground::trace::add_trace;
use mgp_client_sdk::session::{
    self, AgreedConnection, ConnectError, HandshakeError, Hello, ServerConnection,
};
use mgp_discovery::config::HostFeature;
use mgp_lifecycle::restart::Exit;
use mgp_transport::{
    connection::{Builder, Config, Connection},
    seam::{CallError, Session},
};
use mgp_types::{
    error::ErrorCode,
    json::RawJson,
    mcp::{ClientCapabilities, Implementation, add_extensions},
    negotiation::{Extension, ExtensionSet},
};
use std::{
    borrow::Cow,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Returns the extensions that the kernel offers to a server (§2.2).
pub(crate) fn offered_extensions() -> ExtensionSet {
    let mut offered = ExtensionSet::EMPTY;
    for extension in [
        Extension::Security,
        Extension::Audit,
        Extension::CodeSafety,
        Extension::Lifecycle,
        Extension::Streaming,
        Extension::Events,
    ] {
        offered.insert(extension);
    }
    offered
}

/// Returns the extensions that the kernel offers to one server. Callbacks are offered only if the server may use them.
fn offered_to(server: &Server) -> ExtensionSet {
    let mut offered = offered_extensions();
    if server.spec.host_features.contains(&HostFeature::Callback) {
        offered.insert(Extension::Callbacks);
    }
    offered
}

/// The failure of an attempt to start a server.
#[derive(Debug)]
pub(super) struct StartFailure {
    /// The reason.
    pub(super) why: String,
    /// The exit that the failure counts as.
    pub(super) exit: Exit,
}

impl From<String> for StartFailure {
    fn from(why: String) -> Self {
        Self { why, exit: Exit::Away }
    }
}

/// Returns the exit for an attempt whose server answered with an error, or not at all. A server that denies the kernel access is running:
/// endless attempts would repeatedly ask the user for rights, or send wrong ones.
fn exit_after(endpoint: &Endpoint, error: &CallError) -> Exit {
    let CallError::Peer(error) = error else { return Exit::Away };
    match ErrorCode::from_code(error.code) {
        Some(ErrorCode::AuthRequired | ErrorCode::AuthExpired) => Exit::Failed,
        Some(ErrorCode::AccessDenied) if !endpoint.may_be_forbidden_for_a_while() => Exit::Failed,
        _ => Exit::Away,
    }
}

/// Connects to a server, whose messages `inbound` handles, and reads its lists. Returns the connection and the link for calls.
///
/// # Errors
/// [`StartFailure`].
pub(super) async fn connect(
    server: &Arc<Server>,
    inbound: &Inbound,
) -> Result<(ServerConnection, Arc<Link>), StartFailure> {
    let hello = Hello {
        client: Implementation::new("mgp", env!("CARGO_PKG_VERSION")),
        capabilities: offered_features(server),
        offered: Some(offered_to(server)),
    };
    let limit = server.spec.startup_timeout;
    let endpoint = endpoint_now(server, limit).await?;
    let AgreedConnection { mut connection, session, left } =
        agree(server, &endpoint, inbound, hello, limit).await?;
    let link = Link::new(session);
    #[cfg(feature = "child")]
    let link = link.with_stderr(connection.stderr());
    let listed = async {
        let (offers, spec, warnings) = (&server.offers, &server.spec, &server.warnings);
        server.set_tools(list_tools(&link, spec, warnings).await?);
        tokio::join!(
            offers.read_resources(&link, spec, warnings),
            offers.read_prompts(&link, spec, warnings)
        );
        Ok::<_, CallError>(())
    };
    let discovery = server.spec.discovery_timeout;
    let mut exit = Exit::Away;
    let error = match tokio::time::timeout(left.min(discovery), listed).await {
        Ok(Ok(())) => return Ok((connection, Arc::new(link))),
        Ok(Err(error)) => {
            exit = exit_after(&server.spec.endpoint, &error);
            format!("failed to list its tools: {error}{}", server.spec.endpoint.advice(&error))
        }
        Err(_) if discovery < left => {
            format!("took longer than {discovery:?} to list its tools ({})", server.spec.limit_keys.discovery)
        }
        Err(_) => format!(
            "took longer than {limit:?} to start, to shake hands and to list its tools ({})",
            server.spec.limit_keys.startup
        ),
    };
    let error = connection.explain(error).await;
    Err(StartFailure { why: with_confinement_advice(server, error, true), exit })
}

/// Adds the advice on the failed start of a confined process to its error. Errors of other servers stay as they are.
fn with_confinement_advice(server: &Server, mut error: String, has_run: bool) -> String {
    #[cfg(feature = "child")]
    error.push_str(&server.start_grants.advice(&server.spec, &server.rights.permissions, &error, has_run));
    #[cfg(not(feature = "child"))]
    let _ = (server, &mut error, has_run);
    error
}

/// Returns the endpoint of a server for this start, with its secrets. They are read once, and count against no other time limit.
async fn endpoint_now(server: &Server, limit: Duration) -> Result<Cow<'_, Endpoint>, StartFailure> {
    let Some(at_start) = &server.spec.endpoint_at_start else {
        return Ok(Cow::Borrowed(&server.spec.endpoint));
    };
    let endpoint = tokio::time::timeout(limit, at_start.derive()).await.unwrap_or_else(|_| {
        Err(format!("took longer than {limit:?} to read its secrets ({})", server.spec.limit_keys.startup))
    });
    #[cfg(feature = "child")]
    let endpoint = endpoint.map(|endpoint| match (endpoint, &server.spec.endpoint) {
        // An instance runs in the folder of its session, which the settings do not have.
        (Endpoint::Child(command), Endpoint::Child(known)) => match known.working_directory() {
            Some(folder) if command.working_directory().is_none() => Endpoint::Child(command.cwd(folder)),
            _ => Endpoint::Child(command),
        },
        (endpoint, _) => endpoint,
    });
    // Endless attempts would run its commands again and again.
    let failed = |error| StartFailure {
        why: format!("{error}; then start it again with `mgp servers start {}`", server.id()),
        exit: Exit::Failed,
    };
    endpoint.map(Cow::Owned).map_err(failed)
}

/// Opens a connection to a server and performs the handshake.
async fn agree(
    server: &Arc<Server>,
    endpoint: &Endpoint,
    inbound: &Inbound,
    hello: Hello,
    limit: Duration,
) -> Result<AgreedConnection, StartFailure> {
    let open = || open(server, endpoint, inbound);
    let connected = session::connect(open, hello, Some(server.spec.era), &server.connection.era, limit).await;
    #[cfg(feature = "http")]
    let connected = match &server.spec.endpoint {
        Endpoint::Http { url, .. } => connected.map_err(|error| error.at(url)),
        _ => connected,
    };
    match connected {
        Ok(agreed) => Ok(agreed),
        Err(error) => {
            let endpoint = &server.spec.endpoint;
            let (advice, exit) = match &error {
                ConnectError::Handshake(HandshakeError::Call(error)) => {
                    (endpoint.advice(error), exit_after(endpoint, error))
                }
                _ => ("", Exit::Away),
            };
            let has_run = !matches!(error, ConnectError::Start(_));
            let why = with_confinement_advice(server, format!("{error}{advice}"), has_run);
            Err(StartFailure { why, exit })
        }
    }
}

/// Returns the builder of a connection to a server.
pub(super) fn builder(server: &Server, inbound: &Inbound) -> Builder<Inbound> {
    // Names the server in logs about its messages.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let session = Session::new(&format!("server-{}-{number}", server.id()));
    let config = Config { request_members: Some(add_trace), ..Config::default() };
    Connection::builder(inbound.clone()).session(session).config(config)
}

/// Opens a connection to a server.
async fn open(
    server: &Server,
    endpoint: &Endpoint,
    inbound: &Inbound,
) -> Result<ServerConnection, ConnectError> {
    let builder = builder(server, inbound);
    Ok(match endpoint {
        #[cfg(feature = "child")]
        Endpoint::Child(command) => {
            let (spec, rights) = (&server.spec, &server.rights);
            let granted = confined::granted(spec, &rights.permissions);
            let command = server.start_grants.confine(spec, command, granted, &rights.trail);
            ServerConnection::child(&command, builder).await?
        }
        #[cfg(feature = "http")]
        Endpoint::Http { url, config } => ServerConnection::http(url, config.clone(), builder)?,
        #[cfg(feature = "openapi")]
        Endpoint::Api(api) => {
            let (input, output) = api.connect(server.id()).await?;
            ServerConnection::over(builder.over(input, output))
        }
        #[cfg(feature = "child")]
        Endpoint::Commands(commands) => {
            let (spec, rights) = (&server.spec, &server.rights);
            let confine = |command: &_| {
                let granted = confined::granted(spec, &rights.permissions);
                server.start_grants.confine(spec, command, granted, &rights.trail)
            };
            let (input, output) = commands.connect(server.id(), confine)?;
            ServerConnection::over(builder.over(input, output))
        }
        Endpoint::InProcess(server) => {
            let (input, output) = server.connect();
            ServerConnection::over(builder.over(input, output))
        }
        Endpoint::Unusable(fault) => return Err(io::Error::other(fault.clone()).into()),
    })
}

/// Returns the host features that the kernel declares to a server before any host is known. To a server of a stateless revision,
/// each call declares the features of its own host.
fn offered_features(server: &Server) -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    for feature in &server.spec.host_features {
        let settings = match feature {
            HostFeature::Sampling => "{}",
            HostFeature::Elicitation => r#"{"form":{},"url":{}}"#,
            HostFeature::Roots => r#"{"listChanged":true}"#,
            // Callbacks are an MGP extension, not an MCP capability.
            HostFeature::Callback => continue,
        };
        if let Ok(settings) = RawJson::parse(settings) {
            capabilities.0.insert_named(feature.as_str(), settings);
        }
    }
    add_extensions(&mut capabilities.0, &offered_in_advance(&server.spec.passed_extensions));
    capabilities
}

#[cfg(all(test, feature = "oauth"))]
mod tests {
    use super::*;
    use mgp_client_sdk::auth::OAuth;
    use mgp_transport::http::client::HttpClientConfig;

    #[tokio::test]
    async fn a_forbidding_server_is_abandoned_only_with_credentials() {
        let url = "http://127.0.0.1:1/mcp";
        let authorize = OAuth::builder(url).build().unwrap();
        let logged_in = HttpClientConfig { authorize: Some(authorize), ..HttpClientConfig::default() };
        let at_url = |config| Endpoint::Http { url: url.to_owned(), config };
        let (logged_in, plain) = (at_url(logged_in), at_url(HttpClientConfig::default()));
        let unusable = Endpoint::Unusable("none".to_owned());
        for (endpoint, code, expected) in [
            (&logged_in, ErrorCode::AccessDenied, Exit::Failed),
            (&plain, ErrorCode::AccessDenied, Exit::Away),
            (&unusable, ErrorCode::AccessDenied, Exit::Failed),
            (&plain, ErrorCode::AuthRequired, Exit::Failed),
            (&plain, ErrorCode::AuthExpired, Exit::Failed),
            (&logged_in, ErrorCode::UpstreamUnavailable, Exit::Away),
        ] {
            let error = CallError::Peer(code.error("refused"));
            assert_eq!(exit_after(endpoint, &error), expected, "{endpoint:?}: {code:?}");
        }
    }
}
