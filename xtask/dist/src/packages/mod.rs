//! The kinds of packages, one file for each.

mod archive;
mod formula;
mod image;
mod kind;
mod linux;
mod npm;
mod pypi;

pub(crate) use formula::make as formula;
pub(crate) use image::{AS_ROOT, NAME as IMAGE};
pub(crate) use kind::Kind;
pub(crate) use npm::packument;
