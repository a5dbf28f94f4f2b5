//! §16.6 The signature of a function in submitted code, from which the definition of a tool is made. Nothing is run to read it.

mod annotation;
mod python;
#[expect(clippy::module_inception, reason = "the file is named after its type")]
mod signature;

#[cfg(test)]
mod tests;

pub use signature::Signature;
