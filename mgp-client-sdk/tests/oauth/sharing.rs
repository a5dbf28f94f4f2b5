//! Several processes with one token file.

use super::rig::{World, agent, authorization, call, url};
use futures_util::future::BoxFuture;
use mgp_client_sdk::auth::{KeptGrant, OAuth, StoreError, StoreHold, TokenFile, TokenStore};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use tokio::sync::Barrier;

type Hook = Arc<dyn Fn(usize) -> BoxFuture<'static, ()> + Send + Sync>;

/// A token file to which something happens around each load, which is told its number.
#[derive(Clone)]
struct WatchedFile {
    file: TokenFile,
    loads: Arc<AtomicUsize>,
    before: Hook,
    after: Hook,
}

impl std::fmt::Debug for WatchedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

fn nothing() -> Hook {
    Arc::new(|_| Box::pin(async {}))
}

impl WatchedFile {
    fn new(file: TokenFile) -> Self {
        Self { file, loads: Arc::default(), before: nothing(), after: nothing() }
    }
}

#[async_trait::async_trait]
impl TokenStore for WatchedFile {
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError> {
        let number = self.loads.fetch_add(1, Ordering::SeqCst);
        (self.before)(number).await;
        let loaded = self.file.load(server).await;
        (self.after)(number).await;
        loaded
    }

    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError> {
        self.file.save(server, grant).await
    }

    async fn remove(&self, server: &str) -> Result<(), StoreError> {
        self.file.remove(server).await
    }

    async fn hold(&self, server: &str, limit: Duration) -> Result<StoreHold, StoreError> {
        self.file.hold(server, limit).await
    }
}

fn oauth(world: &World, store: impl TokenStore + 'static) -> Arc<OAuth> {
    OAuth::builder(&world.mcp).user_agent(agent()).store(store).build().unwrap()
}

/// A file with a token that is about to end, and what is in it.
async fn about_to_end(world: &World) -> (TempDir, TokenFile, KeptGrant) {
    let folder = tempfile::tempdir().unwrap();
    let file = TokenFile::in_folder(folder.path());
    call(&world.mcp, &oauth(world, file.clone()), "a").await.unwrap();
    let mut kept = file.load(&world.mcp).await.unwrap().unwrap();
    kept.tokens.as_mut().unwrap().renew_at = Some(1);
    file.save(&world.mcp, &kept).await.unwrap();
    (folder, file, kept)
}

fn refreshed(world: &World) -> usize {
    let tokens = world.asked(&format!("POST {}/token", world.auth));
    tokens.iter().filter(|line| line.contains("grant_type=refresh_token")).count()
}

fn asked_the_user(world: &World) -> usize {
    world.asked(&format!("GET {}/authorize", world.auth)).len()
}

fn bearer(grant: &KeptGrant) -> String {
    format!("Bearer {}", grant.tokens.as_ref().unwrap().access.expose())
}

#[tokio::test]
async fn two_processes_use_a_refresh_token_once() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let (_folder, file, old) = about_to_end(&world).await;
    // Each has seen the old token before either trades it: the first load is for what is there, the second for what to trade.
    let both = Arc::new(Barrier::new(2));
    let process = || {
        let both = both.clone();
        let after: Hook = Arc::new(move |number| {
            let both = both.clone();
            Box::pin(async move {
                if number == 1 {
                    both.wait().await;
                }
            })
        });
        oauth(&world, WatchedFile { after, ..WatchedFile::new(file.clone()) })
    };
    let (one, other, endpoint) = (process(), process(), url(&world.mcp));
    let (first, second) = tokio::join!(authorization(&one, &endpoint), authorization(&other, &endpoint));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!(refreshed(&world), 1);
    let kept = file.load(&world.mcp).await.unwrap().unwrap();
    assert!(kept.tokens.as_ref().unwrap().refresh.is_some() && bearer(&kept) != bearer(&old));
    assert_eq!(first, bearer(&kept));
    assert_eq!(second, bearer(&kept));
}

#[tokio::test]
async fn tokens_saved_during_a_refusal_are_not_erased() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let (_folder, file, old) = about_to_end(&world).await;
    world.change(|rules| rules.token_answer = Some((400, "invalid_grant")));
    let mut theirs = old.clone();
    let tokens = theirs.tokens.as_mut().unwrap();
    (tokens.access, tokens.refresh, tokens.renew_at) = ("of-another".into(), Some("next".into()), None);
    // Somebody who holds nothing saves between our trade and our look at what is kept now.
    let before: Hook = {
        let (file, server, theirs) = (file.clone(), world.mcp.clone(), theirs.clone());
        Arc::new(move |number| {
            let (file, server, theirs) = (file.clone(), server.clone(), theirs.clone());
            Box::pin(async move {
                if number == 3 {
                    file.save(&server, &theirs).await.unwrap();
                }
            })
        })
    };
    let oauth = oauth(&world, WatchedFile { before, ..WatchedFile::new(file.clone()) });
    let header = authorization(&oauth, &url(&world.mcp)).await.unwrap();
    assert_eq!(refreshed(&world), 1);
    assert_eq!(file.load(&world.mcp).await.unwrap().unwrap(), theirs);
    assert_eq!(header, "Bearer of-another");
}

#[tokio::test]
async fn a_temporary_refusal_keeps_the_refresh_token() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let (_folder, file, old) = about_to_end(&world).await;
    world.revoke();
    world.change(|rules| rules.token_answer = Some((400, "temporarily_unavailable")));
    let error = call(&world.mcp, &oauth(&world, file.clone()), "a").await.unwrap_err();
    assert!(error.contains("temporarily_unavailable"), "{error}");
    assert_eq!(file.load(&world.mcp).await.unwrap().unwrap(), old);
    world.change(|rules| rules.token_answer = None);
    call(&world.mcp, &oauth(&world, file.clone()), "a").await.unwrap();
    assert_eq!(asked_the_user(&world), 1, "only for the first token");
}

#[tokio::test]
async fn a_refused_client_asks_the_user_and_erases_nothing() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let (_folder, file, old) = about_to_end(&world).await;
    world.revoke();
    world.change(|rules| rules.token_answer = Some((400, "unauthorized_client")));
    call(&world.mcp, &oauth(&world, file.clone()), "a").await.unwrap_err();
    assert_eq!(asked_the_user(&world), 2);
    assert_eq!(file.load(&world.mcp).await.unwrap().unwrap().tokens, old.tokens);
}
