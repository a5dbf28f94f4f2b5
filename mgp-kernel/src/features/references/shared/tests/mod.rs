//! Results that two kernels share.

#[cfg(feature = "s3")]
mod objects;
mod rows;
mod support;
