//! The peers' packages, and their installation.

mod ensure;
mod npm;
mod packages;
mod pip;

pub(crate) use ensure::{InstalledPackages, ensure};
pub(crate) use packages::{NpmHome, Package, PythonHome, Source};
