//! A protected server of a kernel's configuration.

use super::rig::World;
use mgp_client_sdk::client::Client;
use mgp_discovery::config::Config;
use mgp_kernel::{Kernel, RawJson};
use mgp_lifecycle::state::Outlook;
use mgp_transport::{connection::Config as ConnectionConfig, memory};
use mgp_types::{context::Principal, lifecycle::ServerState};
use std::{path::Path, time::Duration};

/// A kernel in front of the protected server, as somebody who has these keys in `auth.oauth`.
async fn kernel(world: &World, keys: &str, tokens: &Path) -> Kernel {
    kernel_with(world, &format!("auth.oauth = {{ {keys} }}"), tokens).await
}

/// A kernel in front of the protected server, with this line of its settings.
async fn kernel_with(world: &World, auth: &str, tokens: &Path) -> Kernel {
    let text = format!(
        "[permissions]\npolicy = \"auto_approve\"\n[[servers]]\nid = \"p\"\nurl = \"{}\"\ndefault_policy = \"opt-out\"\n\
         {auth}\nmgp.restart_policy = \"never\"\n",
        world.mcp
    );
    let config = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap();
    Kernel::builder()
        .configure(&config)
        .unwrap()
        .state_folder(tokens)
        .config(|config| config.agents.push("a".into()))
        .start()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_kernel_gets_a_token_for_its_server_and_the_next_finds_it() {
    let world = World::with(|rules| rules.known_client = Some(("robot", "hush"))).await;
    let folder = tempfile::tempdir().unwrap();
    let keys = format!(
        r#"grant = "client_credentials", client_id = "robot", client_secret = "hush", issuer = "{}""#,
        world.auth
    );
    for _ in 0..2 {
        let kernel = kernel(&world, &keys, folder.path()).await;
        assert_eq!(kernel.ready(Duration::from_secs(60)).await, Vec::<String>::new());
        let (here, there) = memory::pair();
        let agent = Principal::agent("a");
        let connection = kernel.face().serve(agent, ConnectionConfig::default(), there.0, there.1);
        tokio::spawn(connection.closed());
        let host = Client::builder("host", "1").connect(here.0, here.1).await.unwrap();
        let result = host.call_tool("look", RawJson::empty_object()).await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("seen"));
        kernel.shutdown().await;
    }
    assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 1);
    assert!(folder.path().join("secrets").exists());
}

#[tokio::test]
async fn a_server_without_a_source_of_tokens_is_named_with_the_reason() {
    let world = World::with(|rules| rules.known_client = Some(("robot", "hush"))).await;
    let folder = tempfile::tempdir().unwrap();
    let keys = format!(
        r#"grant = "client_credentials", client_id = "robot", client_secret = "wrong", issuer = "{}""#,
        world.auth
    );
    let kernel = kernel(&world, &keys, folder.path()).await;
    let missing = kernel.ready(Duration::from_secs(60)).await;
    assert_eq!(missing, ["p"]);
    let status = kernel.servers()[0].status();
    assert_eq!(status.state, ServerState::Error);
    let reason = &*status.reason;
    assert!(reason.contains(&format!("was refused by {}/token: invalid_client", world.auth)), "{reason}");
    let said = format!("{:?} {reason}", kernel.registry());
    assert!(!said.contains("wrong"), "{said}");
}

#[tokio::test]
async fn a_server_with_a_missing_or_wrong_token_names_the_setting() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    for (auth, advice) in [
        ("", "HTTP 401 Unauthorized (1002); the server wants a token: write `auth.oauth = {}`"),
        (
            "auth.bearer = \"hush\"",
            "HTTP 401 Unauthorized (1002); the server does not accept the credentials",
        ),
    ] {
        let kernel = kernel_with(&world, auth, folder.path()).await;
        assert_eq!(kernel.ready(Duration::from_secs(60)).await, ["p"]);
        let reason = kernel.servers()[0].status().reason;
        assert!(reason.contains(advice) && !reason.contains("hush"), "{reason}");
    }
}

#[tokio::test]
async fn a_server_with_unusable_oauth_is_off_and_the_others_run() {
    let world = World::with(|rules| rules.known_client = Some(("robot", "hush"))).await;
    let folder = tempfile::tempdir().unwrap();
    // Tokens do not go over plain http to another machine.
    let text = format!(
        "[permissions]\npolicy = \"auto_approve\"\n[[servers]]\nid = \"far\"\nurl = \"http://10.0.0.5/mcp\"\nauth.oauth = {{}}\n\
         [[servers]]\nid = \"p\"\nurl = \"{}\"\nauth.oauth = {{ grant = \"client_credentials\", client_id = \"robot\", \
         client_secret = \"hush\", issuer = \"{}\" }}\n",
        world.mcp, world.auth
    );
    let config = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap();
    let kernel = Kernel::builder()
        .configure(&config)
        .unwrap()
        .state_folder(folder.path())
        .config(|config| config.agents.push("a".into()));
    let kernel = kernel.start().await.unwrap();
    assert_eq!(kernel.ready(Duration::from_secs(60)).await, ["far"]);
    let status = kernel.servers()[0].status();
    assert_eq!((status.state, status.outlook), (ServerState::Error, Outlook::Final), "it is tried once");
    assert!(
        status.reason.contains("auth.oauth") && status.reason.contains("http://10.0.0.5/mcp"),
        "{}",
        status.reason
    );
}
