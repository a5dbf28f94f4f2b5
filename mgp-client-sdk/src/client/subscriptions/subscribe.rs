//! The function that begins a subscription.

use super::{
    Subscription,
    changes::Changes,
    listening::{Listening, open},
    session::offered,
    subscription::{Way, asked},
};
use crate::{client::Client, handshake::Era};
use mgp_transport::seam::CallError;
use mgp_types::mcp::stateless::SubscriptionFilter;
use std::sync::Arc;
use tokio::sync::mpsc;

impl Client {
    /// Subscribes to changes of the lists, and of single resources by their URIs.
    ///
    /// In the era of `initialize` the server is asked for each resource, and reports changes of its lists to every client. In the
    /// stateless era the server is asked by one request that stays open; if the request breaks it is sent again, after a delay that
    /// doubles with each failure.
    ///
    /// ```
    /// use mgp_client_sdk::{client::{Change, Client}, mcp::stateless::SubscriptionFilter};
    /// # use mgp_server_sdk::{Resource, Server};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::new("s", "1").resource(Resource::text("memo:1", "memo", async || "buy milk")).build()?;
    /// # let (input, output) = server.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let wanted = SubscriptionFilter { resource_subscriptions: vec!["memo:1".into()], ..Default::default() };
    /// let mut subscription = client.subscribe(wanted).await?;
    /// # server.notifier().resource_updated("memo:1").await;
    /// assert!(subscription.next().await? == Change::Resource("memo:1".into()));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`] if the server does not accept the subscription.
    pub async fn subscribe(&self, wanted: SubscriptionFilter) -> Result<Subscription, CallError> {
        let caller = self.caller.clone();
        if self.greeting.era() == Era::Initialize {
            let (listeners, capabilities) = (self.listeners.clone(), self.greeting.capabilities.clone());
            let lists = SubscriptionFilter { resource_subscriptions: Vec::new(), ..wanted.clone() };
            let changes = Arc::new(Changes::new(offered(lists, &capabilities), caller.limits.changes));
            listeners.join(&changes);
            let way = Way::Session { listeners, capabilities };
            let mut subscription = Subscription { caller, changes, wanted: wanted.clone(), way };
            subscription.set(wanted).await?;
            return Ok(subscription);
        }
        let mgp = self.negotiated().is_some();
        let asked = asked(&wanted, mgp);
        let changes = Arc::new(Changes::new(SubscriptionFilter::default(), caller.limits.changes));
        let call = open(&caller, &asked, &changes).await?;
        let (task, commands) = mpsc::channel(1);
        let listening =
            Listening { caller: caller.clone(), changes: changes.clone(), wanted: asked, call, commands };
        tokio::spawn(listening.run());
        Ok(Subscription { caller, changes, wanted, way: Way::Listening { task, mgp } })
    }
}
