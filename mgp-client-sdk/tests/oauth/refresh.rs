//! Tokens that end.

use super::rig::{World, agent, authorization, call, url};
use futures_util::future::join_all;
use mgp_client_sdk::auth::{KeptGrant, OAuth, StoreError, TokenFile, TokenMemory, TokenStore};
use std::sync::Arc;

fn oauth(world: &World, store: &TokenFile) -> Arc<OAuth> {
    OAuth::builder(&world.mcp).user_agent(agent()).store(store.clone()).build().unwrap()
}

fn counts(world: &World) -> (usize, usize) {
    let tokens = world.asked(&format!("POST {}/token", world.auth));
    let refreshed = tokens.iter().filter(|line| line.contains("grant_type=refresh_token")).count();
    (world.asked(&format!("GET {}/authorize", world.auth)).len(), refreshed)
}

#[tokio::test]
async fn an_expiring_token_is_refreshed_once_for_all_calls() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let folder = tempfile::tempdir().unwrap();
    let store = TokenFile::in_folder(folder.path());
    call(&world.mcp, &oauth(&world, &store), "a").await.unwrap();
    let mut kept = store.load(&world.mcp).await.unwrap().unwrap();
    kept.tokens.as_mut().unwrap().renew_at = Some(1);
    store.save(&world.mcp, &kept).await.unwrap();
    assert_eq!(counts(&world), (1, 0));
    let (next, endpoint) = (oauth(&world, &store), url(&world.mcp));
    let old = format!("Bearer {}", kept.tokens.unwrap().access.expose());
    for header in join_all((0..8).map(|_| authorization(&next, &endpoint))).await {
        assert_ne!(header.unwrap(), old);
    }
    call(&world.mcp, &next, "b").await.unwrap();
    assert_eq!(counts(&world), (1, 1));
}

#[tokio::test]
async fn a_refused_token_is_refreshed_before_the_user_is_asked() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let folder = tempfile::tempdir().unwrap();
    let oauth = oauth(&world, &TokenFile::in_folder(folder.path()));
    call(&world.mcp, &oauth, "a").await.unwrap();
    for round in 1..3 {
        world.revoke();
        call(&world.mcp, &oauth, "a").await.unwrap();
        assert_eq!(counts(&world), (1, round), "each refresh token is used once");
    }
    world.revoke();
    world.state.lock().forget_refresh_tokens();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert_eq!(counts(&world), (2, 3));
}

#[tokio::test]
async fn the_next_process_reuses_stored_tokens() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let folder = tempfile::tempdir().unwrap();
    let store = TokenFile::in_folder(folder.path());
    call(&world.mcp, &oauth(&world, &store), "a").await.unwrap();
    call(&world.mcp, &oauth(&world, &store), "a").await.unwrap();
    world.revoke();
    call(&world.mcp, &oauth(&world, &store), "a").await.unwrap();
    assert_eq!(counts(&world), (1, 1));
    oauth(&world, &store).forget().await.unwrap();
    call(&world.mcp, &oauth(&world, &store), "a").await.unwrap();
    assert_eq!(counts(&world), (2, 1));
}

#[tokio::test]
async fn tokens_refreshed_by_another_process_are_used() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let folder = tempfile::tempdir().unwrap();
    let store = TokenFile::in_folder(folder.path());
    let (one, other) = (oauth(&world, &store), oauth(&world, &store));
    call(&world.mcp, &one, "a").await.unwrap();
    call(&world.mcp, &other, "a").await.unwrap();
    world.revoke();
    call(&world.mcp, &one, "a").await.unwrap();
    // A second use of the same refresh token would be refused, and taken for a theft by some servers.
    call(&world.mcp, &other, "a").await.unwrap();
    assert_eq!(counts(&world), (1, 1));
}

/// A disk that is full.
#[derive(Debug, Default)]
struct Full(TokenMemory);

#[async_trait::async_trait]
impl TokenStore for Full {
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError> {
        self.0.load(server).await
    }

    async fn save(&self, _: &str, _: &KeptGrant) -> Result<(), StoreError> {
        Err(StoreError::Other("full".to_owned()))
    }

    async fn remove(&self, server: &str) -> Result<(), StoreError> {
        self.0.remove(server).await
    }
}

#[tokio::test]
async fn tokens_that_cannot_be_stored_serve_this_process() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).store(Full::default()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert_eq!(counts(&world), (1, 0));
}
