//! A host in this process: commands that call or search connect to their kernel like any host.

use super::error::CliError;
use mgp_client_sdk::client::{Client, ClientBuilder, RetryPolicy};
use mgp_kernel::{Extension, ExtensionSet, Kernel};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
};
use mgp_types::context::Principal;
use std::time::Duration;

/// A connection between this process and its kernel.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) client: Client,
    /// The kernel's end of the connection, closed on drop.
    _served: Connection,
}

impl Host {
    pub(crate) async fn connect(kernel: &Kernel, principal: Principal) -> Result<Self, CliError> {
        Self::connect_as(kernel, principal, Client::builder("mgp", env!("CARGO_PKG_VERSION"))).await
    }

    /// Connects a host that receives results without chunks.
    pub(crate) async fn connect_without_streaming(
        kernel: &Kernel,
        principal: Principal,
    ) -> Result<Self, CliError> {
        let builder = Client::builder("mgp", env!("CARGO_PKG_VERSION")).offer(Self::extensions(false));
        Self::connect_as(kernel, principal, builder).await
    }

    /// Returns the extensions of a host in this program that answers no questions.
    pub(crate) fn extensions(streams: bool) -> ExtensionSet {
        let others = Extension::ALL.into_iter().filter(|extension| match extension {
            Extension::Streaming => streams,
            Extension::CodeSafety | Extension::Callbacks | Extension::ToolCreation => false,
            _ => true,
        });
        others.collect()
    }

    async fn connect_as(
        kernel: &Kernel,
        principal: Principal,
        builder: ClientBuilder,
    ) -> Result<Self, CliError> {
        let (here, there) = memory::pair();
        let served = kernel.face().serve(principal, Config::default(), there.0, there.1);
        let client = builder
            // The kernel enforces the servers' time limits and retries, and the user can end the program.
            .request_timeout(Duration::MAX)
            .max_request_timeout(Duration::MAX)
            .retries(RetryPolicy::never())
            .connect(here.0, here.1)
            .await;
        Ok(Self { client: client.map_err(CliError::failed)?, _served: served })
    }
}
