//! The TLS configuration of HTTP clients.

use parking_lot::Mutex;
use rustls::{ClientConfig, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The time for which clients share the trusted certificates, so that certificates installed later are used without a restart.
const SHARED_FOR: Duration = Duration::from_secs(60);

/// The configuration that clients share, and the time at which its certificates were read.
static SHARED: Mutex<Option<(Instant, ClientConfig)>> = Mutex::new(None);

/// Returns a TLS configuration that trusts what this machine trusts. Reading the certificates takes milliseconds, so clients share them for a
/// minute. A provider of cryptography that is already installed is used; without one, `ring` is installed.
///
/// # Errors
/// The provider supports none of the protocol's versions, or the machine has no certificates.
pub(super) fn client_config() -> Result<ClientConfig, rustls::Error> {
    shared(&SHARED, Instant::now(), read_config)
}

/// Returns the shared value, which is read again once it is too old. No lock is held while it is read: callers that find it too old at the
/// same time each read it.
fn shared<T: Clone, E>(
    slot: &Mutex<Option<(Instant, T)>>,
    now: Instant,
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if let Some((read_at, value)) = &*slot.lock()
        && now.saturating_duration_since(*read_at) < SHARED_FOR
    {
        return Ok(value.clone());
    }
    let value = read()?;
    *slot.lock() = Some((now, value.clone()));
    Ok(value)
}

fn read_config() -> Result<ClientConfig, rustls::Error> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_shared_for_a_minute() {
        let (slot, start) = (Mutex::new(None), Instant::now());
        let at = |seconds, outcome: Result<u8, ()>| {
            let read = || {
                assert!(!slot.is_locked());
                outcome
            };
            shared(&slot, start + Duration::from_secs(seconds), read)
        };
        assert_eq!(at(0, Err(())), Err(()));
        assert_eq!(at(0, Ok(1)), Ok(1));
        assert_eq!(at(59, Ok(2)), Ok(1));
        assert_eq!(at(60, Ok(3)), Ok(3));
    }

    #[test]
    fn a_configuration_verifies_certificates_and_offers_http_1() {
        let config = client_config().unwrap();
        assert_eq!(config.alpn_protocols, [b"http/1.1".to_vec()]);
        assert!(config.enable_sni);
    }
}
