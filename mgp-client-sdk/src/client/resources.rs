//! The server's resources: the lists, and reading.

use super::{Client, caller::decode};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        ListResourceTemplates, ListResources, ReadResource, ReadResourceResult, Resource, ResourceTemplate,
    },
    rpc::Call,
};

impl Client {
    /// Lists the server's resources, from every page of the list. A resource that cannot be read is left out with a warning.
    ///
    /// # Errors
    /// [`CallError`], also for a list with more pages or entries than the client's [`Limits`](super::Limits) allow.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        let list = (ListResources::METHOD, "resources");
        self.caller.list(list, ("resource", "uri"), Resource::from_object).await
    }

    /// Lists the server's resource templates, from every page of the list. A template that cannot be read is left out with a warning.
    ///
    /// # Errors
    /// [`CallError`], also for a list with more pages or entries than the client's [`Limits`](super::Limits) allow.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        let list = (ListResourceTemplates::METHOD, "resourceTemplates");
        let entry = ("resource template", "uriTemplate");
        self.caller.list(list, entry, ResourceTemplate::from_object).await
    }

    /// Reads a resource. Questions of the server in between are answered by the client's handlers.
    ///
    /// ```
    /// # use {mgp_client_sdk::client::Client, mgp_server_sdk::{Resource, Server}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let note = Resource::text("memo:1", "memo", async || "buy milk");
    /// # let (input, output) = Server::new("s", "1").resource(note).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// let memo = client.read_resource("memo:1").await?;
    /// assert!(memo.contents[0].text.as_deref() == Some("buy milk"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`]. For a resource that does not exist, the code is -32002 or, in the stateless revisions, -32602.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallError> {
        let mut params = RawObject::new();
        params.insert("uri", RawJson::string(uri));
        decode::<ReadResource>(&self.caller.call(ReadResource::METHOD, params, None).await?)
    }
}
