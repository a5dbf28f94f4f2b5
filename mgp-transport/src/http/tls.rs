//! Who does TLS.

/// Sets up what does TLS, before the first HTTP client is made. A provider that is installed already is as good.
pub(super) fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
