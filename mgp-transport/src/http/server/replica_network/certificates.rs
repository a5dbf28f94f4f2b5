//! The authority of all replicas, and the certificate that a replica issues to itself. Certificates live in memory only.

use crate::seam::{BoxError, ReplicaAuthority};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
    version::TLS13,
};
use std::sync::Arc;

/// The domain of the names of replicas. It is never looked up.
const DOMAIN: &str = "replica.mgp.internal";

/// Returns the name that the certificate of a replica has.
pub(super) fn name_of(id: &str) -> String {
    format!("{id}.{DOMAIN}")
}

/// Makes an authority for the replicas of a store that has none yet.
pub(super) fn fresh_authority() -> Result<ReplicaAuthority, BoxError> {
    let key = KeyPair::generate()?;
    let certificate = authority_params()?.self_signed(&key)?;
    Ok(ReplicaAuthority { certificate: certificate.der().to_vec(), key: key.serialize_der() })
}

fn authority_params() -> Result<CertificateParams, BoxError> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, "MGP replicas");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    Ok(params)
}

/// Issues a certificate to the replica with an id. Returns the TLS configurations of its two ends: each end accepts only peers with a certificate of
/// the authority.
pub(super) fn issue(
    authority: &ReplicaAuthority,
    id: &str,
) -> Result<(ServerConfig, ClientConfig), BoxError> {
    let issuer = Issuer::new(authority_params()?, KeyPair::try_from(authority.key.as_slice())?);
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![name_of(id)])?;
    params.distinguished_name.push(DnType::CommonName, id);
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let certificate = params.signed_by(&key, &issuer)?.der().clone();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority.certificate.clone()))?;
    let roots = Arc::new(roots);
    let private = || PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider()).build()?;
    let server = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate.clone()], private())?;
    let client = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate], private())?;
    Ok((server, client))
}

fn provider() -> Arc<CryptoProvider> {
    let installed = CryptoProvider::get_default().cloned();
    installed.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()))
}
