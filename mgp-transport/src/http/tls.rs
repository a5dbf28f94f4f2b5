//! The TLS provider.

/// Installs the TLS provider, before the first HTTP client is built. A provider that is already installed is kept.
pub(super) fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
