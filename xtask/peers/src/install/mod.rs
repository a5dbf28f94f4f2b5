//! The peers' packages, and how they get here.

mod ensure;
mod npm;
mod packages;
mod pip;

pub(crate) use ensure::{Installed, ensure};
pub(crate) use packages::{NpmHome, Package, PythonHome, Source};
