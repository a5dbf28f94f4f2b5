//! §16.6 The signature of a function in submitted code, from which the definition of a tool is made. Nothing is run for it.

mod annotation;
mod python;
#[expect(clippy::module_inception, reason = "the signature is named for what it is")]
mod signature;

#[cfg(test)]
mod tests;

pub use signature::Signature;
