//! The user's part.

use super::rig::{World, call, url};
use mgp_client_sdk::auth::{Listen, OAuth, PrintedAgent};
use mgp_transport::http::{
    fetch::{FetchLimits, Fetcher},
    zone::Zone,
};
use std::time::Duration;

#[tokio::test]
async fn a_local_browser_delivers_the_code() {
    let world = World::new().await;
    // What a person and their browser do with the URL.
    let agent = PrintedAgent::new(|url| {
        let url = url.clone();
        tokio::spawn(async move {
            let browser = Fetcher::new(FetchLimits::default(), Zone::Local).unwrap();
            let page = browser.get_once(&url).await.unwrap();
            let page = browser.get_once(&page.location.unwrap()).await.unwrap();
            assert_eq!(page.status, 200);
            assert!(String::from_utf8(page.body).unwrap().contains("can be closed"));
        });
    });
    let oauth =
        OAuth::builder(&world.mcp).user_agent(agent.listen(Listen::default().path("/back"))).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    let authorize = world.asked(&format!("GET {}/authorize", world.auth));
    let request = url(authorize[0].split(' ').nth(1).unwrap());
    let redirect = request.query_pairs().find(|(key, _)| key == "redirect_uri").unwrap().1.into_owned();
    let redirect = url(&redirect);
    assert_eq!((redirect.host_str(), redirect.path()), (Some("127.0.0.1"), "/back"));
}

#[tokio::test]
async fn waiting_for_a_user_is_bounded() {
    let world = World::new().await;
    let oauth = OAuth::builder(&world.mcp)
        .user_agent(PrintedAgent::new(|_| ()))
        .timeout(Duration::from_millis(20))
        .build()
        .unwrap();
    let error = call(&world.mcp, &oauth, "a").await.unwrap_err();
    assert!(error.contains("the user did not authorize within 20ms"), "{error}");
}
