//! The document of a running gateway.

use crate::{
    peers::{Kernel, Service, get},
    rows::Context,
};
use std::path::PathBuf;

/// A gateway that serves its tools over REST, and its document in a file of the row's folder.
pub(super) struct DescribedGateway {
    pub(super) gateway: Service,
    pub(super) file: PathBuf,
    pub(super) text: String,
}

impl DescribedGateway {
    /// Starts the gateway and writes its document, which is available once the servers are up.
    pub(super) async fn start(context: &Context, kernel: &Kernel) -> Result<Self, String> {
        let gateway = kernel.http(context).await?;
        let text = get(gateway.port(), "/openapi.json").await?;
        let file = context.folder.write("openapi.json", &text)?;
        Ok(Self { gateway, file, text })
    }
}
