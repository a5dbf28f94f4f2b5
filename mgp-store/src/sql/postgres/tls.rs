//! Encrypted connections.

use crate::StoreError;
use rustls::{ClientConfig, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns the maker of encrypted connections, which trust what this machine trusts. The URL's `sslmode` says whether to encrypt.
pub(super) fn connector() -> Result<MakeRustlsConnect, StoreError> {
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let config = || {
        Ok::<_, rustls::Error>(
            ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()?
                .with_platform_verifier()?
                .with_no_client_auth(),
        )
    };
    config()
        .map(MakeRustlsConnect::new)
        .map_err(|error| StoreError::new(format!("connections cannot be encrypted: {error}")))
}
