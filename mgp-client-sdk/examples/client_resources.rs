//! Resources: listing, reading, and receiving changes.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client_resources`.
use mgp_client_sdk::{
    client::{Change, Client},
    mcp::SubscriptionFilter,
};
use mgp_server_sdk::{Resource, Server};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memo = Resource::text("memo:1", "memo", async || "buy milk");
    let server = Server::new("notes", "1.0.0").resource(memo).build()?;
    let (input, output) = server.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    for resource in client.list_resources().await? {
        let read = client.read_resource(&resource.uri).await?;
        let text = read.contents[0].text.as_deref().unwrap_or_default();
        println!("{}: {text}", resource.uri);
        assert!(text == "buy milk");
    }

    let wanted = SubscriptionFilter { resource_subscriptions: vec!["memo:1".into()], ..Default::default() };
    let mut subscription = client.subscribe(wanted).await?;
    // The server reports each change of the memo.
    server.notifier().resource_updated("memo:1").await;
    let change = subscription.next().await?;
    println!("{change:?}");
    assert!(change == Change::Resource("memo:1".into()));
    Ok(())
}
