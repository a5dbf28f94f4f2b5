//! The parts of OAuth that both the issuers of tokens and their verifiers need.

mod signature_algorithm;
mod well_known;

pub use signature_algorithm::SignatureAlgorithm;
pub use well_known::issuer_metadata_urls;
