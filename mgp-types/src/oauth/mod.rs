//! OAuth, as far as both who gives tokens away and who checks them need it.

mod signature_algorithm;
mod well_known;

pub use signature_algorithm::SignatureAlgorithm;
pub use well_known::issuer_metadata_urls;
