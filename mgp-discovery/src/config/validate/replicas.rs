//! `[replicas]`.

use super::checks::Checks;
use crate::config::{ReplicasConfig, path::KeyPath};
use http::uri::Authority;

pub(super) fn replicas(config: &ReplicasConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("replicas");
    if let Some(address) = &config.advertise {
        let address = address.value();
        let authority =
            address.parse::<Authority>().ok().filter(|authority| !authority.as_str().contains('@'));
        let port = authority.and_then(|authority| authority.port_u16()).unwrap_or_default();
        if port == 0 {
            let message = format!(
                "{address:?} is not an address: expected a host and a port, such as \"10.0.0.5:7434\""
            );
            checks.say(path.key("advertise"), message);
        } else if config.listen.is_none() {
            checks.advise(path.key("advertise"), "there is no address to listen on", "add replicas.listen");
        }
    } else if let Some(listen) = config.listen.filter(|listen| listen.ip().is_unspecified()) {
        checks.advise(
            path.key("listen"),
            format!("other gateways cannot connect to {listen}"),
            "add replicas.advertise, such as \"10.0.0.5:7434\", or listen on one address",
        );
    }
}
