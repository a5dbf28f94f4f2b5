//! The page of metrics of a gateway.

use crate::{output::say, setup::Setup};
use mgp_kernel::{Kernel, METRICS_CONTENT_TYPE};
use mgp_transport::http::server::{RunningPage, TextPage};

/// Serves the kernel's metrics at `telemetry.metrics` until the returned page is dropped. A failure is only a warning, because of
/// several gateways with one configuration, only one can use the address.
pub(crate) async fn serve(kernel: &Kernel, setup: &Setup) -> Option<RunningPage> {
    let telemetry = &setup.loaded.as_ref()?.config.telemetry;
    let (address, counting) = (telemetry.metrics?, kernel.clone());
    let write = move || counting.metrics().unwrap_or_default();
    let page = TextPage::new("/metrics", METRICS_CONTENT_TYPE, write);
    let page = if telemetry.metrics_open { page.open_to_all() } else { page };
    match page.bind(address).await {
        Ok(serving) => {
            say(&format!("serving metrics at {}", serving.url()));
            Some(serving)
        }
        Err(error) => {
            tracing::warn!(
                %error,
                "metrics are not served; another gateway may use the address: telemetry.metrics sets another one, with port 0 a free one"
            );
            None
        }
    }
}
